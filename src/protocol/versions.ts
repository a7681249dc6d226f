/** The protocol versions there are, the latest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The legacy version to speak with a client that asks for one. */
export function legacyVersionFor(asked: string): string {
  return LEGACY_VERSIONS.find((known) => known === asked) ?? LEGACY_VERSIONS[0];
}

/** The only version in which several messages may be sent as one. */
export const BATCH_VERSION = "2025-03-26";
/** A batch is handled in one go, so everybody waits for it. */
export const MAX_IN_BATCH = 100;
