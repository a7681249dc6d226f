import { dirname, join } from "node:path";

import { EXIT, isWorkbenchError, workbenchError } from "../../errors.ts";
import type { FoundConfig } from "../../config/load.ts";
import { SECRETS_FILE_NAME } from "../../secrets/secrets-file.ts";
import { SECRET_NAME, type SecretStore } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import type { Context } from "../core/command.ts";
import { findTrusted } from "../core/consent.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { newConfigPath } from "../setup/config-file.ts";
import { type Reference, referencesIn } from "./references.ts";
import { readValue } from "./read-value.ts";
import { secretsFileOf } from "./secrets-file-of.ts";
import { showSecrets } from "./show-secrets.ts";

/** `secret set NAME`, `secret list` and `secret rm NAME`. Nothing shows a value. */
export async function secret(context: Context): Promise<number> {
  const { args, env } = context;
  const [action = "", name] = args.words;
  const run = ACTIONS.get(action);
  if (run === undefined) throw usage(`Unknown action '${action}'`);
  if ((action === "list") !== (name === undefined))
    throw usage(action === "list" ? "'list' takes no name" : `Name the secret to ${action}`);
  const config = await configOf(context);
  const file =
    config === undefined
      ? { file: join(dirname(newConfigPath(context)), SECRETS_FILE_NAME) }
      : await secretsFileOf(config, env);
  const stores = (["env-file", "keychain"] as const).map((kind) => storeOf(kind, { ...file, env }));
  const [inFile, keychain] = stores as [SecretStore, SecretStore];
  const references = config === undefined ? [] : await referencesIn(config);
  await run(context, {
    store: args.flag("keychain") ? keychain : inFile,
    stores: args.flag("keychain") ? [keychain] : stores,
    references,
    name: name ?? "",
  });
  return EXIT.ok;
}

interface SecretRequest {
  /** The store to change. */
  readonly store: SecretStore;
  /** The stores to list. */
  readonly stores: readonly SecretStore[];
  readonly references: readonly Reference[];
  readonly name: string;
}

type Action = (context: Context, request: SecretRequest) => Promise<void>;

const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ["set", setSecret],
  ["list", listSecrets],
  ["rm", removeSecret],
]);

async function setSecret(context: Context, request: SecretRequest): Promise<void> {
  const { out } = context;
  const { store, references, name } = request;
  if (!SECRET_NAME.test(name)) {
    const reason = `'${name}' is not a valid name`;
    throw workbenchError("USAGE", { reason }, "Use letters, digits and '_', such as GITHUB_TOKEN");
  }
  await store.assertUsable();
  const value = await readValue(context, name);
  out.hide([value]);
  await store.set(new Map([[name, value]]));
  out.say(`${out.noteStyle.green("✓")} Stored ${name} in ${placeOf(context, store)}`);
  const isUsed = references.some((one) => one.name === name && one.place === store.kind);
  if (!isUsed) {
    const reference = store.reference(name);
    out.say(
      `No server uses it yet. Refer to it as ${reference}, such as "env": { "${name}": "${reference}" }`,
    );
  }
  await report(context, request, true);
}

async function listSecrets(context: Context, request: SecretRequest): Promise<void> {
  await report(context, request, false);
  await showSecrets(context, request);
}

async function removeSecret(context: Context, request: SecretRequest): Promise<void> {
  const { out } = context;
  const { store, references, name } = request;
  const [removed] = await store.remove([name]);
  if (removed === undefined) {
    const names = (await store.names()).join(", ");
    const reason = `${placeOf(context, store)} has no secret '${name}'`;
    throw workbenchError("USAGE", { reason }, names === "" ? undefined : `It has: ${names}`);
  }
  out.say(`${out.noteStyle.green("✓")} Removed ${name} from ${placeOf(context, store)}`);
  const used = references.find((one) => one.name === name && one.place === store.kind);
  if (used !== undefined && used.usedBy.length > 0)
    out.warn(`${used.usedBy.join(", ")} still refers to it`);
  await report(context, request, true);
}

/** The document for `--json`: what is stored after the command. */
async function report(context: Context, request: SecretRequest, changed: boolean): Promise<void> {
  const { args, out } = context;
  const { stores, references, name } = request;
  const secrets: object[] = [];
  for (const store of stores)
    for (const stored of await store.names()) {
      const used = references.find((one) => one.name === stored && one.place === store.kind);
      secrets.push({ name: stored, place: store.kind, usedBy: used?.usedBy ?? [] });
    }
  const [action = ""] = args.words;
  const file = request.store.kind === "env-file" ? request.store.label : null;
  out.document({ action, name: name === "" ? null : name, changed, file, secrets });
}

const placeOf = (context: Context, { label }: SecretStore): string =>
  shortPath(label, hostInfo(context));

/** The configuration in use, if there is one. One in the current folder must be trusted. */
async function configOf(context: Context): Promise<FoundConfig | undefined> {
  try {
    return await findTrusted(context, context.args.text("config"));
  } catch (error) {
    if (isWorkbenchError(error) && error.code === "CONFIG_NOT_FOUND") return undefined;
    throw error;
  }
}

function usage(reason: string): Error {
  return workbenchError(
    "USAGE",
    { reason },
    "Usage: mcp-workbench secret set NAME | list | rm NAME",
  );
}
