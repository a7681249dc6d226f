import { findHooks, hookFile, isHookFile } from "../../clients/hook-file.ts";
import { readRecords } from "../../clients/journal.ts";
import { targetFile } from "../../clients/target-file.ts";
import { requireClient } from "../../clients/table.ts";
import type { ClientRow } from "../../clients/types.ts";
import type { UndoPlan } from "../../clients/undo-plan.ts";
import { applyUninstall, planUninstall } from "../../clients/uninstall.ts";
import { EXIT, type WorkbenchError, isWorkbenchError, workbenchError } from "../../errors.ts";
import { readText } from "../../files/text-file.ts";
import type { Context } from "../core/command.ts";
import { safeText } from "../../text/safe-text.ts";
import { errorOf } from "./install-clients.ts";
import { hostInfo, privateStateFolder, shortPath, stateFolder } from "../core/host-info.ts";
import { reportRealPath, reportWritten } from "./report-written.ts";

/** A file to remove the workbench from. */
interface InstalledFile {
  readonly row: ClientRow;
  readonly file: string;
}

/** `uninstall CLIENT…` */
export async function uninstall(context: Context): Promise<number> {
  const { out } = context;
  const clients: unknown[] = [];
  let first: WorkbenchError | undefined;
  for (const installed of await filesToClean(context)) {
    try {
      clients.push(await uninstallOne(context, installed));
    } catch (error) {
      if (!isWorkbenchError(error) || error.code === "INTERRUPTED") throw error;
      first ??= error;
      clients.push({
        client: installed.row.id,
        file: installed.file,
        changed: false,
        error: errorOf(error),
      });
      out.say(`${out.noteStyle.red("✗")} ${installed.row.label}: ${safeText(error.text)}`);
    }
  }
  out.document({ clients });
  return first?.exitCode ?? EXIT.ok;
}

/** Shows the change, asks if there is a terminal, and makes it; the text says what was done. */
export async function uninstallFrom(
  context: Context,
  plan: UndoPlan,
  text: string,
): Promise<{ readonly changed: boolean; readonly backup: string | null }> {
  const { args, out, prompt } = context;
  const host = hostInfo(context);
  reportRealPath(context, plan.file);
  if (args.flag("dry-run")) {
    out.print(safeText(plan.diff.trimEnd()));
    return { changed: false, backup: null };
  }
  out.say(safeText(plan.diff.trimEnd()));
  const question = `Write this to ${shortPath(plan.file, host)}?`;
  if (prompt.available && !args.flag("yes") && !(await prompt.confirm(question, true)))
    return { changed: false, backup: null };
  const stateDir = privateStateFolder(context);
  const { changed, backup } = await applyUninstall(plan, { stateDir, host });
  reportWritten(context, plan.file, plan.exact ? `${text}; the file is restored exactly` : text);
  return { changed, backup: backup ?? null };
}

async function filesToClean(context: Context): Promise<readonly InstalledFile[]> {
  const { args, cwd } = context;
  const host = hostInfo(context);
  if (args.flag("all") && args.text("name") !== undefined)
    throw workbenchError("USAGE", { reason: "--all and --name cannot be combined" });
  if (args.flag("all")) {
    const records = await readRecords(stateFolder(context));
    if (records.length === 0) context.out.say("The workbench is not installed in any client.");
    return records.map(({ client, file }) => ({ row: requireClient(client), file }));
  }
  if (args.words.length === 0) {
    const hint = "Name a client, or use --all for every client that has the workbench";
    throw workbenchError("USAGE", { reason: "Uninstall from which client?" }, hint);
  }
  const project = args.flag("project") ? cwd : undefined;
  const files = [...new Set(args.words)].map(requireClient).map(async (row) => {
    const file = { row, file: await targetFile(row, host, project) };
    const hooks = project === undefined ? await installedHooks(context, row) : undefined;
    return hooks === undefined ? [file] : [file, { row, file: hooks }];
  });
  return (await Promise.all(files)).flat();
}

/** The file with our hooks, if it has any. */
async function installedHooks(context: Context, row: ClientRow): Promise<string | undefined> {
  const file = hookFile(row, hostInfo(context));
  const text = file === undefined ? undefined : await readText(file);
  if (file === undefined || text === undefined) return undefined;
  return (await findHooks(row, file, text)).length > 0 ? file : undefined;
}

async function uninstallOne(context: Context, { row, file }: InstalledFile): Promise<object> {
  const { out } = context;
  const plan = await planUninstall(row, file, stateFolder(context), context.args.text("name"));
  const report = { client: row.id, file, exact: plan.exact, diff: plan.diff };
  if (plan.before === plan.after && plan.record === undefined) {
    out.say(`${row.label} does not have the workbench`);
    return { ...report, changed: false, backup: null };
  }
  const entry = plan.remaining === undefined ? "the workbench" : `'${context.args.text("name")}'`;
  const what = isHookFile(row, file) ? `the hook for ${entry}` : entry;
  const text = `Removed ${what} from ${row.label}`;
  return { ...report, ...(await uninstallFrom(context, plan, text)) };
}
