import { isDeepStrictEqual } from "node:util";

import type { ServerEntry } from "../../clients/canonical.ts";
import { moveSecrets } from "../../clients/move-secrets.ts";
import type { SecretStore } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import { isObject } from "../../text/json.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { secretsFileOf } from "../secret/secrets-file-of.ts";
import { ConfigText } from "./config-edit.ts";
import { applyConfig, planConfig } from "./config-file.ts";

/** The settings of a server that may contain secrets. */
type SecretFields = Pick<ServerEntry, "args" | "env" | "headers" | "url" | "oauth">;

const FIELDS = ["args", "env", "headers", "url", "oauth"] as const;

/**
 * Moves the plain-text secrets of a configuration to a store, and refers to them instead. Comments
 * stay, and `undo` restores everything. Returns the values that were moved.
 */
export async function moveLiterals(
  context: Pick<Context, "env" | "out">,
  file: string,
  kind: SecretStore["kind"],
): Promise<ReadonlySet<string>> {
  const { env, out } = context;
  const config = await ConfigText.read(file);
  const secretsFile = await secretsFileOf({ file, text: config.after }, env);
  const store = storeOf(kind, { ...secretsFile, env });
  await store.assertUsable();
  const stored = await store.get(await store.names());
  const servers = [...config.toolboxes].flatMap(([toolbox, names]) =>
    [...names].map((name) => ({ toolbox, name, entry: fieldsOf(config.entryOf(toolbox, name)) })),
  );
  const { servers: changed, moved } = moveSecrets(servers, {
    taken: [...config.variables].filter((name) => !stored.has(name)),
    stored,
    reference: (name) => store.reference(name),
  });
  out.hide(moved.map(({ value }) => value));
  for (const [index, { toolbox, name, entry }] of changed.entries())
    for (const field of FIELDS)
      if (!isDeepStrictEqual(entry[field], servers[index]?.entry[field]))
        config.setField(toolbox, name, field, entry[field]);
  const added = moved.filter(({ variable }) => !stored.has(variable));
  const edit = await planConfig(context, file, config.before, config.after);
  const values = new Map(added.map(({ variable, value }) => [variable, value]));
  const what = `move ${plural(moved.length, "secret")} out of the configuration`;
  await applyConfig(context, { ...edit, secrets: { store, values } }, what);
  return new Set(moved.map(({ value }) => value));
}

/** The fields as they are written; those in the spelling of another client are left alone. */
function fieldsOf(entry: unknown): SecretFields {
  if (!isObject(entry)) return {};
  const { args, env, headers, url, oauth } = entry;
  return {
    ...(Array.isArray(args) && args.every(isText) && { args }),
    ...(isTexts(env) && { env }),
    ...(isTexts(headers) && { headers }),
    ...(isText(url) && { url }),
    ...(isObject(oauth) && { oauth }),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);
