import * as z from "zod";
import { toolClassSchema } from "./policy-schema.ts";

/** The setting `overrides` of a server, for one tool. */
export const toolOverrideSchema = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9_.-]{1,128}$/,
        "is not a valid tool name. Use 1 to 128 letters (A-Z, a-z), digits, '_', '.' and '-'",
      )
      .optional()
      .describe("Name shown instead of the tool's own."),
    description: z
      .string()
      .min(1)
      .optional()
      .describe("Description shown instead of the tool's own."),
    hidden: z.boolean().optional().describe("Hides the tool; it cannot be called."),
    arguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Arguments with fixed values, which the agent can neither see nor change."),
    class: toolClassSchema,
  })
  .describe("Changes to one tool.");
