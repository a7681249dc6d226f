import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { createFolders, uniqueNameFor, writeFileAtomic } from "../files/write-atomic.ts";
import type { KeyPath } from "../files/editor.ts";
import { isObject, parseJson } from "../text/json.ts";
import type { Splice } from "../files/splice.ts";
import { readText } from "../files/text-file.ts";
import type { RemovedEntry } from "./plan.ts";

/**
 * What is needed to undo an installation: exactly, while the file is as we left it, and by another
 * edit once it has been changed. One record per file, readable by the owner only, because removed
 * entries may contain secrets.
 */
export interface InstallRecord {
  readonly version: 1;
  readonly client: string;
  readonly file: string;
  /** The project that the file is in; undefined for a file of the user. */
  readonly project?: string | undefined;
  /** Name of our entry; undefined when entries were only removed. */
  readonly name: string | undefined;
  /** The names of all entries that were added, also by earlier installations. */
  readonly names?: readonly string[];
  readonly key: KeyPath;
  /** Number of levels of the key that the installation created. */
  readonly created: number;
  readonly createdFile: boolean;
  /** Folders that the installation created, innermost first. */
  readonly createdFolders: readonly string[];
  readonly removed: readonly RemovedEntry[];
  /** The file was edited between two installations, so the old text has the workbench, too. */
  readonly edited?: boolean;
  /** The change from the old to the new text, and fingerprints of both. */
  readonly splice: Splice;
  readonly before: string;
  readonly after: string;
  readonly via: "file" | "program";
  readonly backup: string | undefined;
  readonly at: string;
  /** What this installation alone did, to undo it after the file has been edited. */
  readonly own?: OwnChange;
  /** The record of the installation before this one, which `undo` brings back. */
  readonly earlier?: InstallRecord | undefined;
}

/** What one installation did. */
export interface OwnChange {
  readonly name: string | undefined;
  /** The value that our entry had; undefined if it is new. */
  readonly value?: unknown;
  readonly removed: readonly RemovedEntry[];
}

const folderOf = (stateDir: string): string => join(stateDir, "clients");
const recordFile = (stateDir: string, file: string): string =>
  join(folderOf(stateDir), `${uniqueNameFor(file)}.json`);

/** The record of a file, if the workbench was installed there. */
export async function readRecord(
  stateDir: string,
  file: string,
): Promise<InstallRecord | undefined> {
  return parseRecord(await readText(recordFile(stateDir, file)));
}

/** All records, one for each known installation. */
export async function readRecords(stateDir: string): Promise<readonly InstallRecord[]> {
  const names = await readdir(folderOf(stateDir)).catch(() => []);
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map(async (name) => parseRecord(await readText(join(folderOf(stateDir), name)))),
  );
  return records.filter((record) => record !== undefined);
}

/** The names of the entries that we added to a file. */
export function recordedNames(record: InstallRecord | undefined): readonly string[] {
  return record?.names ?? (record?.name === undefined ? [] : [record.name]);
}

export async function writeRecord(stateDir: string, record: InstallRecord): Promise<void> {
  await createFolders(folderOf(stateDir));
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  await writeFileAtomic(recordFile(stateDir, record.file), text, { mode: 0o600 });
}

export async function dropRecord(stateDir: string, file: string): Promise<void> {
  await rm(recordFile(stateDir, file), { force: true });
}

/** An unreadable record is ignored: the entry is still found and removed. */
function parseRecord(text: string | undefined): InstallRecord | undefined {
  const record = parseJson(text ?? "");
  const isRecord = isObject(record) && record["version"] === 1;
  return isRecord ? (record as unknown as InstallRecord) : undefined;
}
