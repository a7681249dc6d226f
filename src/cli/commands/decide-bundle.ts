/** The implementation of `decide`. A client waits for it, so it contains nothing else. */
export { decide } from "../approvals/decide.ts";
