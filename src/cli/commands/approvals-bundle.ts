/** The implementation of these commands, loaded on first use. */
export { approvals } from "../approvals/list-approvals.ts";
export { approve, deny } from "../approvals/answer-approval.ts";
