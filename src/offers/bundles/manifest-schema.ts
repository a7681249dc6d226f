import * as z from "zod";

/** `manifest.json` of a bundle, versions 0.1 to 0.4, as far as it is used. */

const MAX_TEXT = 4096;
const text = z.string().max(MAX_TEXT);
const args = z.array(text).max(200);
const env = z.record(z.string().max(200), text);

const program = z.object({
  command: text.min(1),
  args: args.optional(),
  env: env.optional(),
});

const setting = z.object({
  type: z.enum(["string", "number", "boolean", "directory", "file"]),
  title: text.optional(),
  description: text.optional(),
  required: z.boolean().optional(),
  default: z.union([text, z.number(), z.boolean(), z.array(text).max(100)]).optional(),
  multiple: z.boolean().optional(),
  sensitive: z.boolean().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});

export const manifestSchema = z.object({
  manifest_version: z.string().max(20).optional(),
  dxt_version: z.string().max(20).optional(),
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(200),
  description: text.optional(),
  display_name: text.optional(),
  server: z.object({
    type: z.enum(["node", "python", "binary", "uv"]),
    entry_point: z.string().min(1).max(1024),
    mcp_config: program
      .extend({ platform_overrides: z.record(z.string().max(100), program.partial()).optional() })
      .optional(),
  }),
  compatibility: z
    .object({
      platforms: z.array(z.string().max(100)).max(20).optional(),
      runtimes: z.record(z.string().max(100), text).optional(),
    })
    .optional(),
  user_config: z.record(z.string().max(100), setting).optional(),
});

export type Manifest = z.output<typeof manifestSchema>;
export type ManifestSetting = z.output<typeof setting>;
