import * as z from "zod";

/**
 * The answers of a registry, as far as they are used: API v0.1 and `server.json` of 2025-12-11. Members
 * that are not listed are dropped. Limits keep what is shown to users readable.
 */

const MAX_TEXT = 4096;
const MAX_ITEMS = 100;

const text = z.string().max(MAX_TEXT);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(MAX_ITEMS).nullish();

/** One slash between a namespace and a name. */
export const REGISTRY_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/;
const name = z.string().min(3).max(200).regex(REGISTRY_NAME);
const version = z.string().min(1).max(255);

const input = {
  description: text.nullish(),
  isRequired: z.boolean().nullish(),
  format: z.string().max(100).nullish(),
  value: text.nullish(),
  isSecret: z.boolean().nullish(),
  default: text.nullish(),
  placeholder: text.nullish(),
  choices: list(text),
};
const plainInput = z.object(input);
const inputWithVariables = {
  ...input,
  variables: z.record(z.string().max(100), plainInput).nullish(),
};
const argument = z.object({
  ...inputWithVariables,
  type: z.enum(["positional", "named"]),
  name: z.string().max(200).nullish(),
  valueHint: z.string().max(200).nullish(),
  isRepeated: z.boolean().nullish(),
});
const keyValue = z.object({ ...inputWithVariables, name: z.string().min(1).max(200) });

const transport = z.object({
  type: z.string().max(100),
  url: text.nullish(),
  headers: list(keyValue),
  variables: z.record(z.string().max(100), plainInput).nullish(),
});

const registryPackage = z.object({
  registryType: z.string().max(100),
  registryBaseUrl: text.nullish(),
  identifier: text,
  version: z.string().max(255).nullish(),
  fileSha256: z.string().max(100).nullish(),
  runtimeHint: z.string().max(100).nullish(),
  transport,
  runtimeArguments: list(argument),
  packageArguments: list(argument),
  environmentVariables: list(keyValue),
});

const server = z.object({
  name,
  description: text.nullish(),
  title: text.nullish(),
  version,
  websiteUrl: text.nullish(),
  repository: z.object({ url: text.nullish() }).nullish(),
  packages: list(registryPackage),
  remotes: list(transport),
});

const official = z
  .object({
    status: z.string().max(100).nullish(),
    statusMessage: text.nullish(),
    isLatest: z.boolean().nullish(),
  })
  .nullish();

export const serverResponse = z.object({
  server,
  _meta: z.object({ "io.modelcontextprotocol.registry/official": official }).nullish(),
});

/** The servers are checked one by one, so that a malformed one does not hide the others. */
export const serverList = z.object({
  servers: z.array(z.unknown()).max(1000),
  metadata: z.object({ nextCursor: z.string().max(1000).nullish() }).nullish(),
});

export type RegistryEntry = z.output<typeof serverResponse>;
export type RegistryServer = z.output<typeof server>;
export type RegistryPackage = z.output<typeof registryPackage>;
export type RegistryTransport = z.output<typeof transport>;
export type RegistryArgument = z.output<typeof argument>;
export type RegistryKeyValue = z.output<typeof keyValue>;
export type RegistryInput = z.output<typeof plainInput>;

/** What the registry says about a version. */
export function statusOf({ _meta }: RegistryEntry): {
  readonly status: string;
  readonly message: string | undefined;
  readonly isLatest: boolean;
} {
  const found = _meta?.["io.modelcontextprotocol.registry/official"];
  return {
    status: found?.status ?? "active",
    message: found?.statusMessage ?? undefined,
    isLatest: found?.isLatest === true,
  };
}
