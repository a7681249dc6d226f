import { applyPlan, planInstall } from "../../clients/install.ts";
import type { Plan } from "../../clients/plan.ts";
import { type FoundServer, readClientFile } from "../../clients/read.ts";
import { CLIENTS } from "../../clients/table.ts";
import { isInstalled, targetFile } from "../../clients/target-file.ts";
import type { ClientRow } from "../../clients/types.ts";
import { type WorkbenchError, isWorkbenchError } from "../../errors.ts";
import type { KeyPath } from "../../files/editor.ts";
import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import { type InstalledHook, assertHooks, installHook } from "./install-hook.ts";
import { type WantedWorkbench, launchFor } from "./install-launch.ts";
import type { ReplacedEntries } from "./replaced-entries.ts";
import { hostInfo, privateStateFolder, shortPath, stateFolder } from "../core/host-info.ts";
import { reportRealPath, reportWritten } from "./report-written.ts";

/** The outcome of installing into one client. */
export interface Installed {
  readonly client: string;
  readonly file?: string;
  /** The name of the entry. */
  readonly name?: string | null;
  readonly changed: boolean;
  readonly diff?: string;
  readonly backup?: string | null;
  readonly via?: "file" | "program";
  readonly removed?: readonly string[];
  readonly kept?: ReplacedEntries["kept"];
  readonly notes?: readonly string[];
  /** The hook, with --approvals. */
  readonly hook?: InstalledHook;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

export interface InstallOptions {
  readonly workbench: WantedWorkbench;
  /** The name of the entry; by default the existing one is updated. */
  readonly name?: string | undefined;
  readonly project?: boolean;
  readonly byFile?: boolean;
  /** The configuration that a hook of the client asks before calls; without it, there is none. */
  readonly approvals?: string | undefined;
  readonly dryRun: boolean;
  /** Whether to ask before each change. */
  readonly ask: boolean;
  /** Describes a change; by default its diff is shown. */
  readonly describe?: (plan: Plan, replaced: ReplacedEntries) => string;
  /** Finds the entries that the workbench replaces; without it, none are removed. */
  readonly replacedEntries?:
    | ((servers: readonly FoundServer[]) => Promise<ReplacedEntries>)
    | undefined;
}

/** The clients that are installed on this machine. */
export async function installedClients(
  context: Pick<Context, "env">,
): Promise<readonly ClientRow[]> {
  const host = hostInfo(context);
  const found = await Promise.all(CLIENTS.map((row) => isInstalled(row, host)));
  return CLIENTS.filter((_, index) => found[index]);
}

/** Installs into one client after the other; a failure does not stop the rest. */
export async function installInto(
  context: Context,
  rows: readonly ClientRow[],
  options: InstallOptions,
): Promise<{
  readonly installed: readonly Installed[];
  readonly error: WorkbenchError | undefined;
}> {
  const installed: Installed[] = [];
  let first: WorkbenchError | undefined;
  for (const row of rows) {
    try {
      installed.push(await installWithHook(context, row, options));
    } catch (error) {
      if (!isWorkbenchError(error) || error.code === "INTERRUPTED") throw error;
      first ??= error;
      installed.push({ client: row.id, changed: false, error: errorOf(error) });
      const { text } = error;
      const line = text.startsWith(row.label) ? text : `${row.label}: ${text}`;
      context.out.say(`${context.out.noteStyle.red("✗")} ${safeText(line)}`);
    }
  }
  return { installed, error: first };
}

export function errorOf({ code, message, hint }: WorkbenchError): NonNullable<Installed["error"]> {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** The hook is about the name of the entry, so it comes after it. */
async function installWithHook(
  context: Context,
  row: ClientRow,
  options: InstallOptions,
): Promise<Installed> {
  const { approvals: config, dryRun, ask } = options;
  if (config !== undefined) assertHooks(row);
  const { isDeclined, ...installed } = await installOne(context, row, options);
  const { name } = installed;
  if (config === undefined || typeof name !== "string" || isDeclined === true) return installed;
  return { ...installed, hook: await installHook(context, row, { config, name, dryRun, ask }) };
}

async function installOne(
  context: Context,
  row: ClientRow,
  options: InstallOptions,
): Promise<Installed & { readonly isDeclined?: boolean }> {
  const { out, prompt, cwd } = context;
  const host = hostInfo(context);
  const project = options.project === true ? cwd : undefined;
  const behind = await entriesToRemove(context, row, project, options.replacedEntries);
  const plan = await planInstall({
    row,
    host,
    stateDir: stateFolder(context),
    project,
    launch: launchFor(options.workbench),
    name: options.name,
    remove: behind.remove.map(({ path }) => path),
  });
  const report = reportOf(plan, behind);
  reportRealPath(context, plan.file);
  if (options.describe === undefined)
    for (const { name, reason } of behind.kept)
      out.say(`  ${row.label} keeps its own '${name}': ${reason}`);
  if (plan.before === plan.after) {
    out.say(`${out.noteStyle.green("✓")} ${row.label} already has the workbench`);
    return { ...report, changed: false };
  }
  if (options.dryRun) {
    out.print(safeText(plan.diff.trimEnd()));
    return { ...report, changed: false };
  }
  out.say(options.describe?.(plan, behind) ?? safeText(plan.diff.trimEnd()));
  const question = `Write this to ${shortPath(plan.file, host)}?`;
  if (options.ask && !(await prompt.confirm(question, true)))
    return { ...report, changed: false, isDeclined: true };
  const applied = await applyPlan(plan, {
    stateDir: privateStateFolder(context),
    host,
    byFile: options.byFile === true,
  });
  for (const note of applied.notes) out.warn(safeText(note));
  reportWritten(context, applied.file, `${row.label} now has the workbench. Restart it to use it`);
  const { changed, backup, via, notes } = applied;
  return { ...report, changed, backup: backup ?? null, via, notes };
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
  { row, file, diff, own, removed }: Plan,
  { kept }: ReplacedEntries,
): Omit<Installed, "changed"> {
  const nameOf = (path: KeyPath): string => path.at(-1) ?? "";
  const names = removed.map(({ path }) => nameOf(path));
  return { client: row.id, file, name: own?.name ?? null, diff, removed: names, kept };
}
