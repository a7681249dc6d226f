/** The implementations of the commands that observe, bundled together and loaded on first use. */
export { audit } from "../observe/audit/audit.ts";
export { logs } from "../observe/logs.ts";
export { refresh } from "../observe/refresh.ts";
export { stop } from "../observe/stop.ts";
export { status } from "../observe/status.ts";
export { tokens } from "../observe/tokens.ts";
