/** What is loaded when the configuration has a policy. */
export { Policy } from "./policy.ts";
export { policyStep } from "./policy-step.ts";
