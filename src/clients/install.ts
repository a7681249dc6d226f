import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { workbenchError } from "../errors.ts";
import { assertWritable, backUp, makeFolders, writeFileAtomic } from "../files/atomic.ts";
import { isObject, valueAt } from "../files/editing.ts";
import type { KeyPath } from "../files/editing.ts";
import { editorFor, inFile } from "../files/formats.ts";
import { fingerprint, spliceBetween, undoSplice } from "../files/splice.ts";
import { readText } from "../files/text.ts";
import type { Launch } from "./entry.ts";
import { readRecord, writeRecord } from "./journal.ts";
import type { InstallRecord } from "./journal.ts";
import { projectFiles, markersOf, userFiles } from "./paths.ts";
import type { HostInfo } from "./paths.ts";
import { planEdit } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { fillArguments, findProgram, runProgram } from "./program.ts";
import { assertInsideProject } from "./project-file.ts";
import type { ClientRow } from "./types.ts";

export interface InstallRequest {
  readonly row: ClientRow;
  readonly host: HostInfo;
  /** How the client reaches the workbench; without it entries are only removed. */
  readonly launch?: Launch | undefined;
  /** A project's folder, to install there instead of for the user. */
  readonly project?: string | undefined;
  /** Entries of the same file that are now behind the workbench. */
  readonly remove?: readonly KeyPath[];
}

/** What installing into a client would do. Throws when it cannot be done; changes nothing. */
export async function planInstall(request: InstallRequest): Promise<Plan> {
  const { row, host, project, launch, remove = [] } = request;
  const file = await targetFile(row, host, project);
  await assertWritable(file);
  const plan = await planEdit({ row, file, text: await readText(file), launch, remove });
  return { ...plan, project };
}

/** Whether a client seems to be installed on this machine. */
export async function isInstalled(row: ClientRow, host: HostInfo): Promise<boolean> {
  for (const sign of markersOf(row, host)) if (await exists(sign)) return true;
  return row.program !== undefined && (await findProgram(row.program.binary, host)) !== undefined;
}

/** The file that an installation goes into: the one that is there, else the one current versions use. */
export async function targetFile(
  row: ClientRow,
  host: HostInfo,
  project?: string,
): Promise<string> {
  const files =
    project === undefined
      ? userFiles(row, host).filter((file) => !file.includes("*"))
      : projectFiles(row, project, host);
  const [first] = files;
  if (first === undefined) {
    throw workbenchError("USAGE", { reason: `${row.label} has no configuration per project` });
  }
  if (project === undefined && !(await isInstalled(row, host))) {
    const [only = "", ...others] = markersOf(row, host);
    const reason =
      others.length === 0
        ? `${only} does not exist`
        : `none of ${[only, ...others].join(", ")} exists`;
    throw workbenchError("CLIENT_NOT_INSTALLED", { client: row.label, reason });
  }
  if (project !== undefined && !(await isFolder(project))) {
    throw workbenchError("FILE_NOT_WRITABLE", { file: first, reason: `${project} is no folder` });
  }
  let chosen = first;
  for (const file of files.toReversed()) if (await exists(file)) chosen = file;
  if (project !== undefined) assertInsideProject(chosen, project);
  return chosen;
}

export interface ApplyOptions {
  readonly stateDir: string;
  readonly host: HostInfo;
  readonly now?: Date;
  /** Leave the client's own program alone and edit the file; always so in a project's folder. */
  readonly byFile?: boolean;
}

export interface Applied {
  readonly file: string;
  /** False when everything was in place already. */
  readonly changed: boolean;
  readonly backup: string | undefined;
  readonly via: "file" | "program";
  readonly notes: readonly string[];
}

/**
 * Does what a plan says: backup, record of how to undo it, then one atomic replacement. Refused
 * when the file is no longer what the plan was made for.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  const { row, file, before, after, project } = plan;
  const nothing = { file, changed: false, backup: undefined, via: "file", notes: [] } as const;
  if (before === after) return nothing;
  if ((await readText(file)) !== before) {
    throw workbenchError("FILE_CHANGED", { file }, "Run the command again");
  }
  if (project !== undefined) assertInsideProject(file, project);
  const { stateDir, host, now = new Date() } = options;
  const backups = join(stateDir, "backups");
  const backup = before === undefined ? undefined : await backUp(file, backups, now);
  const createdFolders = await makeFolders(dirname(file), 0o777);
  const base = { backup, createdFolders, at: now.toISOString() };
  const record = await recordFor(plan, stateDir, base);
  await writeRecord(stateDir, record(after, "file"));

  const useProgram = options.byFile !== true && userFiles(row, host).includes(file);
  const attempt = useProgram ? await addByProgram(plan, host) : undefined;
  const text = attempt === undefined ? before : await readText(file);
  // The program may have left out what it does not know; the edit completes the entry.
  const final = text === before ? after : await completeEntry(plan, text);
  const via = text === before ? "file" : "program";
  await writeRecord(stateDir, record(final, via));
  if (final !== text) await writeFileAtomic(file, final, { expect: { text } });
  const notes =
    attempt?.failure === undefined
      ? []
      : [attempt.failure, `${row.label} was configured by editing its file`];
  return { file, changed: true, backup, via, notes };
}

// --- internal ---

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Lets the client's own program add our entry; undefined when there is none or nothing to add. */
async function addByProgram(
  { row, own }: Plan,
  host: HostInfo,
): Promise<{ readonly failure: string | undefined } | undefined> {
  const { program, entry: shape } = row;
  const command = own?.value[shape.command];
  if (own?.isUpdate !== false || typeof command !== "string") return undefined;
  const path = program && (await findProgram(program.binary, host));
  if (program === undefined || path === undefined) return undefined;
  const { args: given } = own.value;
  const args = Array.isArray(given) ? given.map(String) : [];
  const values = { name: own.name, command, args, json: JSON.stringify(own.value) };
  const said = await runProgram(path, fillArguments(program.add, values), host);
  const failure = said === undefined ? said : `${program.binary} did not add the entry: ${said}`;
  return { failure };
}

/** The text that the client's program left, with whatever is missing in it. */
async function completeEntry(plan: Plan, text: string | undefined): Promise<string> {
  const { row, file, own, key, removed } = plan;
  const editor = await editorFor(row.format);
  return inFile(file, () => {
    let result = text ?? "";
    if (own !== undefined) {
      const path = [...key, own.name];
      const written = valueAt(editor.parse(result), path);
      const wanted = { ...(isObject(written) ? written : {}), ...own.value };
      if (!isDeepStrictEqual(written, wanted)) result = editor.set(result, path, wanted);
    }
    return removed.reduce((rest, gone) => editor.remove(rest, gone.path), result);
  });
}

type Base = Pick<InstallRecord, "backup" | "createdFolders" | "at">;

/** Builds the record; an installation on top of an earlier one can still be undone as one. */
async function recordFor(
  plan: Plan,
  stateDir: string,
  base: Base,
): Promise<(after: string, via: Applied["via"]) => InstallRecord> {
  const { row, file, before = "", own, key, project } = plan;
  const earlier = await readRecord(stateDir, file);
  const isUntouched = earlier !== undefined && earlier.after === fingerprint(before);
  const original = isUntouched ? undoSplice(before, earlier.splice) : before;
  const again = new Set(plan.removed.map(({ path }) => JSON.stringify(path)));
  const kept = earlier?.removed.filter(({ path }) => !again.has(JSON.stringify(path))) ?? [];
  const common = {
    version: 1,
    client: row.id,
    file,
    project,
    name: own?.name ?? earlier?.name,
    key,
    created: Math.max(earlier?.created ?? 0, plan.created),
    createdFile: isUntouched ? earlier.createdFile : plan.before === undefined,
    removed: [...kept, ...plan.removed],
    before: fingerprint(original),
    ...base,
    createdFolders: [...base.createdFolders, ...(earlier?.createdFolders ?? [])],
  } as const;
  return (after, via) => ({
    ...common,
    splice: spliceBetween(original, after),
    after: fingerprint(after),
    via,
  });
}
