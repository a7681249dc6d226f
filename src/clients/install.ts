import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { workbenchError } from "../errors.ts";
import { assertWritable, backUp, createFolders, writeFileAtomic } from "../files/write-atomic.ts";
import type { KeyPath } from "../files/editor.ts";
import { readText } from "../files/text-file.ts";
import { addByProgram } from "./add-by-program.ts";
import type { Launch } from "./entry.ts";
import { recordFor } from "./install-record.ts";
import {
  type InstallRecord,
  dropRecord,
  readRecord,
  recordedNames,
  writeRecord,
} from "./journal.ts";
import { type HostInfo, userFiles } from "./paths.ts";
import { type Plan, completeEntry, planEdit } from "./plan.ts";
import { assertProjectFile } from "./project-file.ts";
import { targetFile } from "./target-file.ts";
import type { ClientRow } from "./types.ts";

export interface InstallRequest {
  readonly row: ClientRow;
  readonly host: HostInfo;
  readonly stateDir: string;
  /** How the client reaches the workbench; without it entries are only removed. */
  readonly launch?: Launch | undefined;
  /** The name of our entry; by default the existing one is updated. */
  readonly name?: string | undefined;
  /** A project's folder, to install there instead of for the user. */
  readonly project?: string | undefined;
  /** Entries of the same file that the workbench replaces. */
  readonly remove?: readonly KeyPath[];
}

/** Plans an installation without changing anything. Throws if it is not possible. */
export async function planInstall(request: InstallRequest): Promise<Plan> {
  const { row, host, stateDir, project, launch, name, remove = [] } = request;
  const file = await targetFile(row, host, project);
  await assertWritable(file);
  const recorded = recordedNames(await readRecord(stateDir, file));
  const text = await readText(file);
  const plan = await planEdit({ row, file, text, launch, name, recorded, remove });
  return { ...plan, project };
}

export interface ApplyOptions {
  readonly stateDir: string;
  readonly host: HostInfo;
  readonly now?: Date;
  /** Edit the file instead of running the client's own program; always so in a project. */
  readonly byFile?: boolean;
}

export interface Applied {
  readonly file: string;
  /** False when nothing had to be changed. */
  readonly changed: boolean;
  readonly backup: string | undefined;
  readonly via: "file" | "program";
  readonly notes: readonly string[];
}

/**
 * Applies a plan: backup, record of how to undo it, then one atomic replacement. Refused if the
 * file has changed since the plan was made.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  const { row, file, before, after, project } = plan;
  const nothing = { file, changed: false, backup: undefined, via: "file", notes: [] } as const;
  if (before === after) return nothing;
  if ((await readText(file)) !== before) {
    throw workbenchError("FILE_CHANGED", { file }, "Run the command again");
  }
  if (project !== undefined) assertProjectFile(file, project);
  const { stateDir, host, now = new Date() } = options;
  const backups = join(stateDir, "backups");
  const earlier = await readRecord(stateDir, file);
  const backup = before === undefined ? undefined : await backUp(file, backups, now);
  const createdFolders = await createFolders(dirname(file), 0o777);
  const base = { backup, createdFolders, at: now.toISOString() };
  const record = await recordFor(plan, stateDir, base);
  await writeRecord(stateDir, record(after, "file"));

  const useProgram = options.byFile !== true && userFiles(row, host).includes(file);
  const attempt = useProgram ? await addByProgram(plan, host) : undefined;
  const text = attempt === undefined ? before : await readText(file);
  // The program may have dropped fields that it does not know; an edit adds them.
  const final = text === before ? after : await completeEntry(plan, text);
  const via = text === before ? "file" : "program";
  await writeRecord(stateDir, record(final, via));
  if (final !== text) {
    try {
      await writeFileAtomic(file, final, { expect: { text } });
    } catch (error) {
      if (text === before) await forget(stateDir, file, earlier, createdFolders);
      throw error;
    }
  }
  const notes =
    attempt?.failure === undefined
      ? []
      : [attempt.failure, `${row.label} was configured by editing its file`];
  return { file, changed: true, backup, via, notes };
}

/** Restores what was recorded before an installation that has changed nothing: it cannot be undone. */
async function forget(
  stateDir: string,
  file: string,
  earlier: InstallRecord | undefined,
  createdFolders: readonly string[],
): Promise<void> {
  if (earlier === undefined) await dropRecord(stateDir, file);
  else await writeRecord(stateDir, earlier);
  for (const folder of createdFolders) await rmdir(folder).catch(() => undefined);
}
