/** The commands that look at what is there, loaded together when one of them is used. */
export { refresh } from "./observe/refresh.ts";
export { status } from "./observe/status.ts";
export { tokens } from "./observe/tokens.ts";
