import * as z from "zod";
import { nonEmpty } from "./oauth-schema.ts";

const path = () =>
  // oxlint-disable-next-line no-control-regex -- the operating system rejects exactly this one
  nonEmpty().regex(/^[^\u0000]+$/, "cannot contain a NUL character. Remove it");

/** The setting `sandbox` of a server that is started as a program. */
export const sandboxSchema = z
  .strictObject({
    kind: z
      .enum(["bwrap", "docker", "command"])
      .describe(
        "`bwrap`: bubblewrap, on Linux. `docker`: a container of `image`. `command`: the program in `command`.",
      ),
    read: z
      .array(path())
      .default([])
      .describe(
        "Files and folders that the server may read. Relative paths are resolved against the folder of this file, `~/` against the home folder.",
      ),
    write: z.array(path()).default([]).describe("Files and folders that it may also change."),
    network: z.boolean().default(false).describe("Whether it may use the network."),
    required: z
      .boolean()
      .default(true)
      .describe(
        "Whether the server is not started if the sandbox cannot be used. With `false` it then runs without one.",
      ),
    image: nonEmpty()
      .regex(/^[^-]/, "is not the name of an image. Remove the '-' at its beginning")
      .optional()
      .describe("For `docker`: the image that contains the server."),
    command: z
      .array(path())
      .min(1)
      .optional()
      .describe(
        'For `command`: the program and its arguments, such as `["firejail", "--quiet", "--"]`; those of the server follow.',
      ),
  })
  .describe("Limits what the server can reach on this machine.");
