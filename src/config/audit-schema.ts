import * as z from "zod";

/** The setting `audit`. */
export const auditSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .describe(
        "Whether calls are recorded. If left out: over HTTP, and wherever `required` is set.",
      ),
    arguments: z
      .enum(["none", "shape", "hash", "redacted"])
      .default("shape")
      .describe(
        "What is recorded of arguments: nothing, their keys and types, a keyed hash, or their values, shortened and with known secrets removed.",
      ),
    required: z
      .boolean()
      .default(false)
      .describe(
        "Rejects calls while the log cannot be written. Without it, calls continue and one warning is logged.",
      ),
    retainDays: z.int().min(1).max(36_500).default(90).describe("Older files are deleted."),
  })
  .describe("The audit log: one entry for each call. Results are never recorded.");
