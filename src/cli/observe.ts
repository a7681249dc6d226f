/** The commands that look at what is there, loaded together when one of them is used. */
export { refreshCommand } from "./refresh.ts";
export { status } from "./status.ts";
export { tokens } from "./tokens.ts";
