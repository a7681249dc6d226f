/** What is loaded when the configuration has a policy. */
export { approvalStep } from "./approval-step.ts";
export { approvalsFile } from "./approvals-file.ts";
export { stateFile } from "../shared-files.ts";
