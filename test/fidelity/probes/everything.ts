import type { Probes } from "./probe.ts";
export const everythingProbes: Probes = {};
