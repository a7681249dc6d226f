import { existsSync } from "node:fs";

import { claimName, legalName } from "../../clients/names.ts";
import type { FoundFile } from "../../clients/read.ts";
import { parseConfig, readUntrusted } from "../../config/load.ts";
import { trustOf } from "../../config/trust/trust.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError } from "../../errors.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { isChosenByFolder } from "./config-file.ts";
import { type Draft, type KnownEntry, draftFrom, withServers } from "./draft.ts";
import { replacedEntries } from "./replaced-entries.ts";

/**
 * The configuration that `init --force` extends. Its servers stay: after an earlier `init` they may be
 * in no client any longer. Undefined if there is none, or if it cannot be used.
 */
export async function currentConfig(
  context: Context,
  file: string,
): Promise<WorkbenchSettings | undefined> {
  if (!existsSync(file)) return undefined;
  const { args, env, out } = context;
  const fromCurrentFolder = args.flag("here") || isChosenByFolder(context, file);
  try {
    const found = readUntrusted({ file, fromCurrentFolder });
    if (fromCurrentFolder && trustOf(found, env) !== "trusted") {
      out.warn("The current configuration is not trusted, so it is replaced; a backup is kept");
      return undefined;
    }
    const settings = await parseConfig(found.text, { file, env });
    out.hide(settings.secrets);
    return settings;
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    out.warn("The current configuration is not valid, so it is replaced; a backup is kept");
    return undefined;
  }
}

/** Proposes toolboxes for the servers that a configuration does not have. */
export async function draftBeside(
  context: Context,
  files: readonly FoundFile[],
  current: WorkbenchSettings,
): Promise<Draft> {
  const skipped: Draft["skipped"][number][] = [];
  const known: KnownEntry[] = [];
  const isNew = async (server: FoundFile["servers"][number]): Promise<boolean> => {
    const { remove, kept } = await replacedEntries(context, [server], current);
    for (const { by = "" } of remove) known.push({ server, by });
    for (const { reason } of kept) skipped.push({ server, reason });
    return remove.length + kept.length === 0;
  };
  const rest: FoundFile[] = [];
  for (const file of files) {
    const servers: FoundFile["servers"][number][] = [];
    for (const server of file.servers) if (await isNew(server)) servers.push(server);
    rest.push({ ...file, servers });
  }
  const draft = await draftFrom(context, rest, context.args.text("toolbox"));
  return { ...draft, skipped: [...draft.skipped, ...skipped], known };
}

/** The draft with server names that are free in the toolboxes of a configuration. */
export function withFreeNames(draft: Draft, current: WorkbenchSettings): Draft {
  const toolboxes = draft.toolboxes.map((box) => {
    const existing = current.toolboxes.get(box.name)?.servers.keys() ?? [];
    const taken = new Set(Array.from(existing, (name) => name.toLowerCase()));
    const servers = box.servers.map((server) => {
      const longer = legalName(`${server.name}-${server.from[0]?.client ?? "new"}`, server.name);
      return { ...server, name: claimName([server.name, longer], taken) };
    });
    return withServers(box, servers);
  });
  return { ...draft, toolboxes };
}

/** Such as "The configuration keeps its 3 servers". */
export function describeKept({ toolboxes }: WorkbenchSettings, { known = [] }: Draft): string {
  const count = plural(serversIn(toolboxes).length, "server");
  const entries = plural(known.length, "entry", "entries");
  const also = known.length === 0 ? "" : `; ${entries} of the clients are for these`;
  return `The configuration keeps its ${count}${also}`;
}
