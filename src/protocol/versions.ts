/** The supported protocol versions, latest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The legacy version to use with a client that requests this one. */
export function legacyVersionFor(asked: string): string {
  return LEGACY_VERSIONS.find((known) => known === asked) ?? LEGACY_VERSIONS[0];
}

/** The only version that supports batches. */
export const BATCH_VERSION = "2025-03-26";
/** A batch is processed in one go, so all clients wait for it. */
export const MAX_IN_BATCH = 100;
