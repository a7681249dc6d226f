/** What is tried with the protocol's reference server. */
import { everythingModernProbes } from "./everything-modern.ts";
import { everythingQuestionProbes } from "./everything-questions.ts";
import { everythingResourceProbes } from "./everything-resources.ts";
import { everythingToolProbes } from "./everything-tools.ts";
import type { Probes } from "./probe.ts";

export const everythingProbes: Probes = {
  ...everythingToolProbes,
  ...everythingResourceProbes,
  ...everythingQuestionProbes,
  ...everythingModernProbes,
};
