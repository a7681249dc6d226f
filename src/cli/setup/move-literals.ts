import type { ServerEntry } from "../../clients/canonical.ts";
import { moveSecrets } from "../../clients/move-secrets.ts";
import type { SecretStore } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import { entriesOf, isObject, type JsonObject } from "../../text/json.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { secretsFileOf } from "../secret/secrets-file-of.ts";
import { ConfigText } from "./config-edit.ts";
import { applyConfig } from "../../config/edits/config-edits.ts";
import { shadowsIn } from "./shadowed-names.ts";
import { planConfig } from "./config-file.ts";

/** The settings of a server that may contain secrets. */
type SecretFields = Pick<ServerEntry, "args" | "env" | "headers" | "url" | "oauth">;

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
    isShadowed: shadowsIn(kind, env),
  });
  out.hide(moved.map(({ value }) => value));
  for (const [index, { toolbox, name, entry }] of changed.entries())
    // One by one, so that comments between them stay.
    for (const [path, text] of changedTexts(servers[index]?.entry, entry))
      config.setText(toolbox, name, path, text);
  const added = moved.filter(({ variable }) => !stored.has(variable));
  const edit = await planConfig(context, file, config.before, config.after);
  const values = new Map(added.map(({ variable, value }) => [variable, value]));
  const what = `move ${plural(moved.length, "secret")} out of the configuration`;
  await applyConfig(context, { ...edit, secrets: { store, values } }, what);
  return new Set(moved.map(({ value }) => value));
}

/**
 * The fields as they are written; those in the spelling of another client are left alone. Numbers and the like, which
 * a configuration may have between texts, are never secrets.
 */
function fieldsOf(entry: unknown): SecretFields {
  if (!isObject(entry)) return {};
  const { args, env, headers, url, oauth } = entry;
  return {
    ...(Array.isArray(args) && { args: args.map(String) }),
    ...(isObject(env) && { env: textsIn(env) }),
    ...(isObject(headers) && { headers: textsIn(headers) }),
    ...(typeof url === "string" && { url }),
    ...(isObject(oauth) && { oauth: textsIn(oauth) }),
  };
}

const textsIn = (value: JsonObject): Record<string, string> =>
  Object.fromEntries(
    entriesOf(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );

type ChangedText = readonly [path: readonly string[], text: string];

/** The texts that differ, with their place in the entry. */
function changedTexts(before: SecretFields = {}, after: SecretFields = {}): ChangedText[] {
  return Object.entries(after).flatMap(([field, value]): ChangedText[] => {
    const old = before[field as keyof SecretFields];
    if (typeof value === "string") return value === old ? [] : [[[field], value]];
    const texts = Object.entries({ ...(old as object) });
    return Object.entries(value as Readonly<Record<string, string>>)
      .filter(([key, text]) => !texts.some(([name, known]) => name === key && known === text))
      .map(([key, text]) => [[field, key], text]);
  });
}
