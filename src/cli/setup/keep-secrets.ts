import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { type MovedSecret, moveSecrets } from "../../clients/move-secrets.ts";
import type { ProposedServer, ProposedToolbox } from "../../clients/propose.ts";
import { workbenchError } from "../../errors.ts";
import { SECRETS_FILE_NAME } from "../../secrets/secrets-file.ts";
import type { SecretStore } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import type { Context } from "../core/command.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { type SecretsFile, secretsFileOf } from "../secret/secrets-file-of.ts";
import { ConfigText } from "./config-edit.ts";
import { serversOf } from "./draft.ts";
import { shadowsIn } from "./shadowed-names.ts";
import type { SecretAdditions } from "../../config/edits/stored-secrets.ts";

/** Where the secrets of imported entries go. */
const SECRET_PLACES = ["env-file", "keychain", "variables", "keep"] as const;
export type SecretPlace = (typeof SECRET_PLACES)[number];

/** What happens to the secrets of imported entries. Nothing has been stored yet. */
export interface SecretsPlan {
  readonly place: SecretPlace;
  /** The entries to write. */
  readonly toolboxes: readonly ProposedToolbox[];
  /** The secrets that the entries now refer to; none with `keep`. */
  readonly moved: readonly MovedSecret[];
  /** To be passed on in the `ConfigEdit`, which stores them. */
  readonly additions: SecretAdditions | undefined;
  /** The place in words, such as `~/.config/mcp-workbench/secrets.env`; empty with `keep`. */
  readonly where: string;
  /** The user has to set variables before the servers work; only with `variables`. */
  readonly needsUser: boolean;
  readonly isDryRun: boolean;
}

export interface SecretsRequest {
  /** The configuration that the entries are written to. */
  readonly file: string;
  readonly toolboxes: readonly ProposedToolbox[];
  /** Variables that the configuration refers to already. */
  readonly taken?: ReadonlySet<string>;
  /** The file for secrets, if the configuration exists and may name another one. */
  readonly secretsFile?: SecretsFile | undefined;
}

/**
 * Decides what happens to the literal secrets of imported entries: by default they move to
 * `secrets.env` next to the configuration, so that the servers work behind the workbench wherever
 * their client is started.
 */
export async function planSecrets(
  context: Pick<Context, "args" | "env" | "out">,
  { file, toolboxes, taken = new Set(), secretsFile }: SecretsRequest,
): Promise<SecretsPlan> {
  const { env, out } = context;
  const place = placeOf(context);
  const servers = serversOf(toolboxes);
  const isDryRun = context.args.flag("dry-run");
  const unchanged = { place, toolboxes, moved: [], additions: undefined, where: "", isDryRun };
  if (place === "keep" || moveSecrets(servers).moved.length === 0)
    return { ...unchanged, needsUser: false };
  const target = secretsFile ?? { file: join(dirname(file), SECRETS_FILE_NAME) };
  const store = place === "variables" ? undefined : storeOf(place, { ...target, env });
  await store?.assertUsable();
  const stored = await storedIn(store);
  const { servers: changed, moved } = moveSecrets<ProposedServer>(servers, {
    taken: [...taken].filter((name) => !stored.has(name)),
    stored,
    ...(store && { reference: (name) => store.reference(name) }),
    isShadowed: shadowsIn(place, env),
  });
  out.hide(moved.map(({ value }) => value));
  const byName = new Map(changed.map((server) => [server.name, server]));
  const added = moved.filter(({ variable }) => !stored.has(variable));
  return {
    place,
    toolboxes: toolboxes.map((box) => ({
      ...box,
      servers: box.servers.map((server) => byName.get(server.name) ?? server),
    })),
    moved,
    additions: store && {
      store,
      values: new Map(added.map(({ variable, value }) => [variable, value])),
    },
    where:
      store === undefined
        ? "the environment of the workbench"
        : shortPath(store.label, hostInfo(context)),
    needsUser: store === undefined,
    isDryRun,
  };
}

/** What to know about a configuration before secrets are moved to it; `exists`: others are there. */
export async function secretsRequest(
  { env }: Pick<Context, "env">,
  file: string,
  exists: boolean,
): Promise<Omit<SecretsRequest, "toolboxes">> {
  if (!exists) return { file };
  const { after: text, variables: taken } = await ConfigText.read(file);
  return { file, taken, secretsFile: await secretsFileOf({ file, text }, env) };
}

/** The secrets for `--json`, without their values. */
export function secretsReport({ place, moved }: SecretsPlan): readonly object[] {
  return moved.map(({ variable, uses }) => ({ variable, uses, place }));
}

/** A warning if secrets were written into a folder that may be published; undefined if not. */
export function repositoryWarning({ additions, where }: SecretsPlan): string | undefined {
  if (additions?.store.kind !== "env-file") return undefined;
  for (let folder = dirname(additions.store.label); ; folder = dirname(folder)) {
    if (ignoresSecrets(join(folder, ".gitignore"))) return undefined;
    if (existsSync(join(folder, ".git")))
      return `${where} is in a Git repository. Add it to .gitignore`;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Where the user wants secrets to go. Throws if there is no such place. */
export function placeOf({ args }: Pick<Context, "args">): SecretPlace {
  const named = args.text("secrets");
  // The older spelling.
  if (named === undefined) return args.flag("keep-secrets") ? "keep" : "env-file";
  return placeNamed(named);
}

/** The place with this name. Throws if there is none. */
export function placeNamed(named: string): SecretPlace {
  const place = SECRET_PLACES.find((one) => one === named);
  if (place !== undefined) return place;
  const reason = `--secrets must be ${SECRET_PLACES.join(", ")}, not '${named}'`;
  throw workbenchError("USAGE", { reason });
}

/** Knows the usual patterns only; for others there is a warning too many. */
function ignoresSecrets(file: string): boolean {
  try {
    return /^(?:\/|\*\*\/)?(?:secrets|\*)\.env\s*$/m.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

async function storedIn(store: SecretStore | undefined): Promise<ReadonlyMap<string, string>> {
  return store === undefined ? new Map<string, string>() : store.get(await store.names());
}
