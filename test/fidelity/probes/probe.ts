import type { FeatureId } from "../features.ts";
import type { Subject } from "../subject.ts";

/** Further clients of the kind that is being tried, at the same workbench. */
export interface Site {
  /** One more client; `isolated` connects it to the server that has a process for each client. */
  another(isolated: boolean): Promise<Subject>;
}

/** Tries one feature and throws if anything is not as it should be. */
export type Probe = (subject: Subject, site: Site) => Promise<void>;
export type Probes = Readonly<Partial<Record<FeatureId, Probe>>>;
