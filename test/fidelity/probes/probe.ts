import type { FeatureId } from "../features.ts";
import type { Subject, ToolboxName } from "../subject.ts";

/** More clients of the same kind, at the same workbench. */
export interface Site {
  another(toolbox: ToolboxName): Promise<Subject>;
}

/** Tries one feature and throws if something is wrong. */
export type Probe = (subject: Subject, site: Site) => Promise<void>;
export type Probes = Readonly<Partial<Record<FeatureId, Probe>>>;
