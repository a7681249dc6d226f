import { existsSync, realpathSync } from "node:fs";

import { launchOf, starterFor } from "../../clients/entry.ts";
import { applyPlan, planInstall } from "../../clients/install.ts";
import type { Plan } from "../../clients/plan.ts";
import { type FoundServer, readClientFile } from "../../clients/read.ts";
import { CLIENTS } from "../../clients/table.ts";
import { isInstalled, targetFile } from "../../clients/target-file.ts";
import type { ClientRow } from "../../clients/types.ts";
import { type WorkbenchError, isWorkbenchError } from "../../errors.ts";
import type { KeyPath } from "../../files/editing.ts";
import type { Context } from "../command.ts";
import { safeText } from "../output/safe-text.ts";
import type { ReplacedEntries } from "./behind.ts";
import { hostInfo, privateStateFolder, shortPath } from "./machine.ts";
import { reportRealPath, reportWritten } from "./written.ts";

/** What came of installing into one client. */
export interface Installed {
  readonly client: string;
  readonly file?: string;
  readonly changed: boolean;
  readonly diff?: string;
  readonly backup?: string | null;
  readonly via?: "file" | "program";
  readonly removed?: readonly string[];
  readonly kept?: ReplacedEntries["kept"];
  readonly notes?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

export interface InstallOptions {
  /** The configuration that clients are to serve. */
  readonly config: string;
  readonly project?: boolean;
  readonly byFile?: boolean;
  readonly dryRun: boolean;
  /** Whether to ask before each change. */
  readonly ask: boolean;
  /** Which of a file's entries the workbench takes the place of; none are touched without it. */
  readonly replacedEntries?:
    | ((servers: readonly FoundServer[]) => Promise<ReplacedEntries>)
    | undefined;
}

/** The clients that seem to be installed on this machine. */
export async function installedClients(
  context: Pick<Context, "env">,
): Promise<readonly ClientRow[]> {
  const host = hostInfo(context);
  const found = await Promise.all(CLIENTS.map((row) => isInstalled(row, host)));
  return CLIENTS.filter((_, index) => found[index]);
}

/** Installs into one client after the other; one that fails does not keep the others from it. */
export async function installInto(
  context: Context,
  rows: readonly ClientRow[],
  wish: InstallOptions,
): Promise<{
  readonly installed: readonly Installed[];
  readonly error: WorkbenchError | undefined;
}> {
  const installed: Installed[] = [];
  let first: WorkbenchError | undefined;
  for (const row of rows) {
    try {
      installed.push(await installOne(context, row, wish));
    } catch (error) {
      if (!isWorkbenchError(error) || error.code === "INTERRUPTED") throw error;
      first ??= error;
      installed.push({ client: row.id, changed: false, error: errorOf(error) });
      const { text } = error;
      const told = text.startsWith(row.label) ? text : `${row.label}: ${text}`;
      context.out.say(`${context.out.noteStyle.red("✗")} ${safeText(told)}`);
    }
  }
  return { installed, error: first };
}

export function errorOf({ code, message, hint }: WorkbenchError): NonNullable<Installed["error"]> {
  return { code, message, ...(hint !== undefined && { hint }) };
}

// --- internal ---

async function installOne(
  context: Context,
  row: ClientRow,
  wish: InstallOptions,
): Promise<Installed> {
  const { out, prompt, cwd } = context;
  const host = hostInfo(context);
  const project = wish.project === true ? cwd : undefined;
  const behind = await entriesToRemove(context, row, project, wish.replacedEntries);
  const plan = await planInstall({
    row,
    host,
    project,
    launch: launchOf(starterFor(process.execPath, thisProgram()), wish.config),
    remove: behind.remove.map(({ path }) => path),
  });
  const report = reportOf(plan, behind);
  reportRealPath(context, plan.file);
  for (const { name, reason } of behind.kept)
    out.say(`  ${row.label} keeps its own '${name}': ${reason}`);
  if (plan.before === plan.after) {
    out.say(`${out.noteStyle.green("✓")} ${row.label} has the workbench already`);
    return { ...report, changed: false };
  }
  if (wish.dryRun) {
    out.print(safeText(plan.diff.trimEnd()));
    return { ...report, changed: false };
  }
  out.say(safeText(plan.diff.trimEnd()));
  const question = `Write this to ${shortPath(plan.file, host)}?`;
  if (wish.ask && !(await prompt.confirm(question, true))) return { ...report, changed: false };
  const applied = await applyPlan(plan, {
    stateDir: privateStateFolder(context),
    host,
    byFile: wish.byFile === true,
  });
  for (const note of applied.notes) out.warn(safeText(note));
  reportWritten(context, applied.file, `${row.label} has the workbench now. Restart it to see it`);
  const { changed, backup, via, notes } = applied;
  return { ...report, changed, backup: backup ?? null, via, notes };
}

/** Where this program really is: npx and npm start it through links, also one that is not published. */
function thisProgram(): string {
  const [, script = ""] = process.argv;
  return existsSync(script) ? realpathSync(script) : script;
}

async function entriesToRemove(
  context: Context,
  row: ClientRow,
  project: string | undefined,
  behind: InstallOptions["replacedEntries"],
): Promise<ReplacedEntries> {
  if (behind === undefined) return { remove: [], kept: [] };
  const file = await targetFile(row, hostInfo(context), project);
  const scope = project === undefined ? "user" : "project";
  const found = await readClientFile(row, file, scope, project);
  return behind(found?.servers ?? []);
}

function reportOf(
  { row, file, diff, removed }: Plan,
  { kept }: ReplacedEntries,
): Omit<Installed, "changed"> {
  const nameOf = (path: KeyPath): string => path.at(-1) ?? "";
  return { client: row.id, file, diff, removed: removed.map(({ path }) => nameOf(path)), kept };
}
