import type { FoundServer } from "../../clients/read.ts";
import { requireClient } from "../../clients/table.ts";
import type { ClientRow } from "../../clients/types.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { readSeconds } from "../core/seconds.ts";
import { plural } from "../output/layout.ts";
import { checkName } from "./config-entry.ts";
import { type Draft, type KnownEntry, serversOf } from "./draft.ts";
import { placeOf } from "./keep-secrets.ts";
import { askForClients } from "./ask-for-clients.ts";
import {
  type Installed,
  type InstallOptions,
  installedClients,
  installInto,
} from "./install-clients.ts";
import type { Readiness } from "./readiness.ts";
import type { ReplacedEntries } from "./replaced-entries.ts";

/** Refuses wrong options before anything is written or started. */
export function checkInitOptions({ args }: Context): void {
  placeOf({ args });
  readSeconds(args.text("timeout"), 1);
  const toolbox = args.text("toolbox");
  if (toolbox !== undefined) checkName(toolbox);
  for (const client of args.list("install")) if (client !== "all") requireClient(client);
  if (!args.flag("replace")) return;
  for (const other of ["no-replace", "no-connect"])
    if (args.flag(other)) {
      const hint = "An entry is removed from a client only if its server connects";
      throw workbenchError(
        "USAGE",
        { reason: `--replace and --${other} cannot be combined` },
        other === "no-connect" ? hint : undefined,
      );
    }
}

/**
 * The last step of `init`: installs into the clients that were named or that the user chooses, and
 * removes the entries of servers that work behind the workbench. All others stay in the client.
 */
export async function offerInstall(
  context: Context,
  config: string,
  draft: Draft,
  readiness: Readiness,
): Promise<{
  readonly installed: readonly Installed[];
  readonly error: WorkbenchError | undefined;
}> {
  const { args, prompt } = context;
  const rows = await chosenClients(context, draft);
  const ask = prompt.available && !args.flag("yes");
  const entries = importedEntries(draft, readiness);
  const removable = entries.filter(
    ({ from, reason }) => reason === undefined && rows.some(({ id }) => id === from.client),
  ).length;
  let replace = !args.flag("no-replace");
  if (replace && ask && removable > 0 && !args.flag("replace")) {
    const what = `${plural(removable, "entry", "entries")} that the workbench now provides`;
    replace = await prompt.confirm(`Remove ${what} from these clients?`, true);
  }
  return installInto(context, rows, {
    workbench: { config, shared: !args.flag("no-shared") },
    dryRun: false,
    ask,
    describe: describePlan(context),
    replacedEntries: replace ? async (servers) => replacedBy(servers, entries) : undefined,
  });
}

const entryOf = ({ server }: KnownEntry): FoundServer => server;

/** An imported entry, and why it stays in the client; undefined if it may be removed. */
interface ImportedEntry {
  readonly from: FoundServer;
  readonly reason: string | undefined;
}

async function chosenClients(context: Context, draft: Draft): Promise<readonly ClientRow[]> {
  const { args, out, prompt } = context;
  const named = args.list("install");
  if (named.includes("all")) return installedClients(context);
  if (named.length > 0) return [...new Set(named)].map(requireClient);
  if (!prompt.available || args.flag("yes")) return [];
  const here = await installedClients(context);
  if (here.length === 0) return [];
  const { toolboxes, known = [] } = draft;
  const found = [...serversOf(toolboxes).flatMap(({ from }) => from), ...known.map(entryOf)];
  const sources = new Set(found.map(({ client }) => client));
  const suggested = [...here.keys()].filter((index) => sources.has(here[index]?.id ?? ""));
  out.say("");
  return askForClients(context, here, suggested);
}

function importedEntries(
  { toolboxes, known = [] }: Draft,
  { working, needsUser }: Readiness,
): readonly ImportedEntry[] {
  const places = toolboxes.flatMap(({ name: toolbox, servers }) =>
    servers.flatMap(({ name, from }) => from.map((one) => [`${toolbox}/${name}`, one] as const)),
  );
  return [...places, ...known.map(({ by, server }) => [by, server] as const)].map(
    ([label, from]) => {
      const isHere = (one: Place): boolean => `${one.toolbox}/${one.server}` === label;
      const problem = needsUser.find(isHere)?.reason ?? "it was not tried";
      return { from, reason: working.some(isHere) ? undefined : problem };
    },
  );
}

type Place = Pick<Readiness["working"][number], "toolbox" | "server">;

/** What happens to the imported entries of one file. */
function replacedBy(
  servers: readonly FoundServer[],
  entries: readonly ImportedEntry[],
): ReplacedEntries {
  const remove: ReplacedEntries["remove"][number][] = [];
  const kept: ReplacedEntries["kept"][number][] = [];
  for (const { name, file, path, isWorkbench } of servers) {
    const entry = entries.find(
      ({ from }) => from.file === file && from.path.join("\0") === path.join("\0"),
    );
    if (isWorkbench || entry === undefined) continue;
    if (entry.reason === undefined) remove.push({ name, path });
    else kept.push({ name, reason: entry.reason });
  }
  return { remove, kept };
}

/** One client's change in a few words: the diffs of several clients would hide everything else. */
function describePlan(context: Context): NonNullable<InstallOptions["describe"]> {
  const { bold, dim, green, red } = context.out.noteStyle;
  return ({ row, file, own }, { remove, kept }) => {
    const names = (list: readonly { readonly name: string }[]): string =>
      list.map(({ name }) => name).join(", ");
    const lines = [
      `${bold(row.label)}  ${dim(shortPath(file, hostInfo(context)))}`,
      ...(own === undefined ? [] : [`${green("+")} ${own.name}`]),
      ...(remove.length > 0 ? [`${red("-")} ${names(remove)}`] : []),
      ...(kept.length > 0 ? [`  ${names(kept)} ${kept.length === 1 ? "stays" : "stay"}`] : []),
    ];
    return lines.join("\n  ");
  };
}
