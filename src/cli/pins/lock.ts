import type { WorkbenchSettings } from "../../config/types.ts";
import { serverKey } from "../../config/server-key.ts";
import { EXIT } from "../../errors.ts";
import { type LockFile, formatLock } from "../../pins/lock-file.ts";
import { updateLock } from "../../pins/lock-store.ts";
import { lockedServer } from "../../pins/observed-server.ts";
import { safeLine } from "../../text/safe-text.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { configuration } from "../use/target.ts";
import { storable } from "../../pins/accept-definitions.ts";
import { type ComparedServer, compareServers } from "../../pins/compare-servers.ts";
import { type ReadServers, readServers } from "./read-servers.ts";
import { countsOf } from "./counts.ts";

/** `lock [--check]`: approves everything as it is now, or compares. */
export async function lock(context: Context): Promise<number> {
  const { args, out } = context;
  const settings = await configuration(context);
  const read = await readServers(context, settings, {});
  const { file, failed } = read;
  const compared = compareServers(read);
  const isCheck = args.flag("check");
  const next = nextLock(read.lock, read, settings);
  const isSame = read.lock !== undefined && formatLock(read.lock) === formatLock(next);
  const changed = isCheck ? !isSame : await write(read, settings);
  out.document({
    file,
    changed,
    servers: compared.map(({ key, differences }) => ({ server: key, ...countsOf(differences) })),
    failed,
  });
  for (const server of compared) out.print(lineOf(server, isCheck, out.style));
  for (const { toolbox, server, reason } of failed)
    out.print(`${out.style.red("✗")} ${toolbox}/${server}: not read, ${safeLine(reason)}`);
  out.say(isCheck ? checkedText(read, changed) : writtenText(read, changed));
  if (isCheck && changed) return EXIT.unexpected;
  return failed.length > 0 ? EXIT.serverUnavailable : EXIT.ok;
}

async function write(read: ReadServers, settings: WorkbenchSettings): Promise<boolean> {
  return updateLock(
    read.file,
    (before) => nextLock(before, read, settings),
    storable(read.observed.values(), read.isStorable),
  );
}

/** Servers that could not be read keep their entry; those that are not configured have none. */
function nextLock(
  before: LockFile | undefined,
  { observed }: ReadServers,
  settings: WorkbenchSettings,
): LockFile {
  const configured = new Set(
    serversIn(settings.toolboxes).map(({ toolbox, name }) => serverKey(toolbox, name)),
  );
  const kept = [...(before?.servers ?? [])].filter(([key]) => configured.has(key));
  const read = Array.from(observed, ([key, server]) => [key, lockedServer(server)] as const);
  return { servers: new Map([...kept, ...read]) };
}

function lineOf(
  { key, differences }: ComparedServer,
  isCheck: boolean,
  { green, yellow }: Context["out"]["style"],
): string {
  if (differences.some(({ what, change }) => what === "server" && change === "removed"))
    return `${isCheck ? yellow("!") : green("✓")} ${key}: no longer configured`;
  if (differences.some(({ what }) => what === "server"))
    return `${isCheck ? yellow("!") : green("✓")} ${key}: new, ${plural(differences.length - 1, "definition")}`;
  const counts = countsOf(differences);
  const words = Object.entries(counts).flatMap(([word, count]) =>
    count > 0 ? `${count} ${word}` : [],
  );
  if (words.length === 0) return `${green("✓")} ${key}`;
  return `${isCheck ? yellow("!") : green("✓")} ${key}: ${words.join(", ")}`;
}

function checkedText({ file, lock: before }: ReadServers, changed: boolean): string {
  if (before === undefined) return `\nThere is no ${file}. To write it: mcp-workbench lock`;
  return changed
    ? `\nServers differ from ${file}. To see how: mcp-workbench diff`
    : `\nSame as ${file}.`;
}

function writtenText({ file, observed }: ReadServers, changed: boolean): string {
  const count = plural(observed.size, "server");
  return changed ? `\nWrote ${file}: ${count} read.` : `\n${file} is up to date: ${count} read.`;
}
