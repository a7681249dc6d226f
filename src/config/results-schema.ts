import * as z from "zod";
import { bytes, milliseconds } from "./limits-schema.ts";

/** The answer that replaces a result has about half as many characters. */
const MIN_LIMIT_CHARS = 5000;
const MAX_LIMIT_CHARS = 100_000_000;
const MAX_TOTAL_BYTES = 2 ** 40;

/** The setting `results`. */
export const resultsSchema = z
  .strictObject({
    limit: z
      .union([z.enum(["client", "off"]), z.int().min(MIN_LIMIT_CHARS).max(MAX_LIMIT_CHARS)])
      .default("client")
      .describe(
        "Which text results are stored, so that the client gets their beginning and a `run_script` call that reads on: those that this client is known to truncate (`client`), none (`off`), or those with more than this number of characters, for all clients.",
      ),
    maxBytes: bytes()
      .default(16_777_216)
      .describe("Largest result that is stored. A larger one is passed on unchanged."),
    totalBytes: z
      .int()
      .min(1024)
      .max(MAX_TOTAL_BYTES)
      .default(268_435_456)
      .describe(
        "Largest size of all stored results. Those that have not been used for the longest time are removed.",
      ),
    idleMs: milliseconds(1)
      .default(7_200_000)
      .describe("A result that is not used for this long is removed."),
  })
  .describe("Results that are too large for their client.");
