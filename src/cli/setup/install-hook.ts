import { noHooks, planHook } from "../../clients/hook-file.ts";
import { applyPlan } from "../../clients/install.ts";
import type { ClientRow } from "../../clients/types.ts";
import { safeText } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { hostInfo, privateStateFolder, shortPath } from "../core/host-info.ts";
import { hookCommand } from "./install-launch.ts";
import { reportRealPath, reportWritten } from "./report-written.ts";

/** What happened to the file with the hooks of a client. */
export interface InstalledHook {
  readonly file: string;
  readonly changed: boolean;
  readonly diff: string;
  readonly backup: string | null;
}

export interface HookOptions {
  readonly config: string;
  /** The name of our entry. */
  readonly name: string;
  readonly dryRun: boolean;
  readonly ask: boolean;
}

/** Throws if a client has no hooks that can ask the workbench. */
export function assertHooks(row: ClientRow): void {
  if (row.hooks === undefined) throw noHooks(row);
}

/** Adds the hook that asks the policy before a client calls `use_tool` or `read_tool`. */
export async function installHook(
  context: Context,
  row: ClientRow,
  { config, name, dryRun, ask }: HookOptions,
): Promise<InstalledHook> {
  const { out, prompt } = context;
  const host = hostInfo(context);
  const plan = await planHook(row, host, { name, command: hookCommand(config, name) });
  const { file, diff } = plan;
  const unchanged = { file, changed: false, diff, backup: null };
  if (plan.before === plan.after) {
    out.say(`${out.noteStyle.green("✓")} ${row.label} already asks the workbench before calls`);
    return unchanged;
  }
  reportRealPath(context, file);
  if (dryRun) {
    out.print(safeText(diff.trimEnd()));
    return unchanged;
  }
  out.say(safeText(diff.trimEnd()));
  if (ask && !(await prompt.confirm(`Write this to ${shortPath(file, host)}?`, true)))
    return unchanged;
  const stateDir = privateStateFolder(context);
  const { changed, backup } = await applyPlan(plan, { stateDir, host, byFile: true });
  reportWritten(
    context,
    file,
    `${row.label} now asks the workbench before calls. Restart it to use it`,
  );
  return { file, changed, diff, backup: backup ?? null };
}
