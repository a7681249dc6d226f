/** What is tried with the fixture servers. */
import { customProbes, modernProbes, taskProbes } from "./fixture-further.ts";
import { extensionProbes } from "./fixture-extensions.ts";
import { helloProbes } from "./fixture-hello.ts";
import { promptProbes, utilityProbes } from "./fixture-prompts.ts";
import { questionProbes } from "./fixture-questions.ts";
import { resourceProbes } from "./fixture-resources.ts";
import { toolProbes } from "./fixture-tools.ts";
import type { Probes } from "./probe.ts";

export const fixtureProbes: Probes = {
  ...helloProbes,
  ...toolProbes,
  ...resourceProbes,
  ...promptProbes,
  ...utilityProbes,
  ...questionProbes,
  ...taskProbes,
  ...extensionProbes,
  ...customProbes,
  ...modernProbes,
};
