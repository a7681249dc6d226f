import type { FeatureId } from "../features.ts";
import type { Subject, ToolboxName } from "../subject.ts";

/** Further clients of the kind that is being tried, at the same workbench. */
export interface Site {
  another(toolbox: ToolboxName): Promise<Subject>;
}

/** Tries one feature and throws if anything is not as it should be. */
export type Probe = (subject: Subject, site: Site) => Promise<void>;
export type Probes = Readonly<Partial<Record<FeatureId, Probe>>>;
