import { isDeepStrictEqual } from "node:util";

import type { FoundServer } from "../../clients/read.ts";
import { resolveConfig } from "../../config/load.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError } from "../../errors.ts";
import type { KeyPath } from "../../files/editor.ts";
import type { Context } from "../core/command.ts";
import { serversIn } from "../../workbench/scopes.ts";
import { configOf } from "./draft.ts";

/** The entries of a client that the workbench replaces. */
export interface ReplacedEntries {
  readonly remove: readonly {
    readonly name: string;
    readonly path: KeyPath;
    /** The server that replaces it, as `toolbox/server`. */
    readonly by?: string;
  }[];
  /** Entries that stay in the client, although they may match one of our servers. */
  readonly kept: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Compares the entries of a client with the configuration. An entry is replaced only if it starts the
 * same program or reaches the same URL with the same account; in doubt it is kept.
 */
export async function replacedEntries(
  context: Pick<Context, "env" | "cwd">,
  servers: readonly FoundServer[],
  settings: WorkbenchSettings,
): Promise<ReplacedEntries> {
  const ours = serversIn(settings.toolboxes)
    .filter(({ disabled }) => !disabled)
    .map((server) => ({
      identity: identityOf(server),
      label: `${server.toolbox}/${server.name}`,
    }));
  const remove: { name: string; path: KeyPath; by: string }[] = [];
  const kept: { name: string; reason: string }[] = [];
  for (const server of servers) {
    // A disabled entry costs nothing, and the user may want to enable it again.
    if (server.isWorkbench || server.disabled) continue;
    const theirs = await settingsOf(context, server);
    if (theirs === undefined) continue;
    const identity = identityOf(theirs);
    const same = ours.find((own) => isDeepStrictEqual(own.identity, identity));
    if (same !== undefined) remove.push({ name: server.name, path: server.path, by: same.label });
    else if (ours.some((own) => mayMatch(own.identity, identity)))
      kept.push({
        name: server.name,
        reason: "variables in the configuration are not set, so it may be a different account",
      });
  }
  return { remove, kept };
}

interface Identity {
  readonly what: readonly string[];
  readonly values: readonly (readonly [key: string, value: string])[];
}

async function settingsOf(
  { env, cwd }: Pick<Context, "env" | "cwd">,
  { name: _name, entry, ...from }: FoundServer,
): Promise<ServerSettings | undefined> {
  if (entry === undefined) return undefined;
  const server = { name: "imported", entry, from: [{ ...from, name: "imported", entry }] };
  const box = { name: "imported", description: "Imported", servers: [server] };
  try {
    // The author of a project file must not learn anything about the user's variables.
    const variables = from.scope === "project" ? {} : env;
    const settings = await resolveConfig(configOf([box]), { env: variables, cwd });
    return settings.toolboxes.get("imported")?.servers.get("imported");
  } catch (error) {
    if (isWorkbenchError(error)) return undefined;
    throw error;
  }
}

function identityOf({ transport }: ServerSettings): Identity {
  if (transport.kind === "scripts") return { what: [transport.folder], values: [] };
  if (transport.kind !== "stdio") {
    const headers = Object.entries(transport.headers).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    return { what: [transport.url.replace(/\/+$/, "")], values: sorted(headers) };
  }
  const words = [transport.command, ...transport.args]
    .filter((word) => word !== "-y" && word !== "--yes")
    .map((word) => word.replace(/@latest$/, ""));
  const { cwd = "", envFile = "" } = transport;
  return { what: [...words, cwd, envFile], values: sorted(Object.entries(transport.env)) };
}

function sorted(entries: readonly (readonly [string, string])[]): Identity["values"] {
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether they are equal except for our values that come from unset variables. */
function mayMatch(own: Identity, theirs: Identity): boolean {
  const fits = (a: string | undefined, b: string | undefined): boolean =>
    a === b || (a !== undefined && b !== undefined && a.includes("${"));
  return (
    own.what.length === theirs.what.length &&
    own.values.length === theirs.values.length &&
    own.what.every((word, index) => fits(word, theirs.what[index])) &&
    own.values.every(([key, value], index) => {
      const other = theirs.values[index];
      return other !== undefined && key === other[0] && fits(value, other[1]);
    })
  );
}
