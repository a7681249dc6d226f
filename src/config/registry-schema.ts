import * as z from "zod";
import { isServerUrl, type FormatName } from "./check/formats.ts";

/** The setting `registry`. */
export const registrySchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .refine(isServerUrl, "must be an http:// or https:// URL without a user name or password")
      .meta({ format: "server-url" satisfies FormatName })
      .describe("Its address, without `/v0.1`."),
    token: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Sent to this registry as a Bearer token. Refer to a secret, such as `${keychain:REGISTRY_TOKEN}`.",
      ),
  })
  .optional()
  .describe(
    "The registry that the commands `registry` and `add` use instead of the official one. Serving does not need it.",
  );
