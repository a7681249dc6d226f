/** What a running workbench needs to compare definitions, loaded when it is configured. */
export { followLock } from "./follow-lock.ts";
export { pinStep } from "./pin-step.ts";
