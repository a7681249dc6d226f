import { readdirSync } from "node:fs";
import { join } from "node:path";
import { stateDir } from "../config/directories.ts";
import { codeOf } from "../text/error-code.ts";

/** The folder of the audit logs of all workbenches of the user. */
export function auditFolder(): string {
  return join(stateDir(), "audit");
}

/** One file of an audit log. A process writes a run of files, numbered from 0. */
export interface AuditFileName {
  readonly name: string;
  /** The UTC date on which it was begun, as `YYYY-MM-DD`. */
  readonly day: string;
  /** The process that wrote it: its id, and random characters because ids are used again. */
  readonly run: string;
  readonly part: number;
}

const NAME = /^(\d{4}-\d{2}-\d{2})_(\d+-[0-9a-f]{8})_(\d{4,})\.jsonl$/;

export function auditFileName(day: string, run: string, part: number): string {
  return `${day}_${run}_${String(part).padStart(4, "0")}.jsonl`;
}

export function parseFileName(name: string): AuditFileName | undefined {
  const [, day, run, part] = NAME.exec(name) ?? [];
  if (day === undefined || run === undefined || part === undefined) return undefined;
  return { name, day, run, part: Number(part) };
}

/** The files of a folder, by day, run and part; empty if there is no such folder. */
export function auditFiles(folder: string): AuditFileName[] {
  const names = readNames(folder).flatMap((name) => parseFileName(name) ?? []);
  const keyOf = ({ day, run, part }: AuditFileName): string =>
    `${day} ${run} ${String(part).padStart(12, "0")}`;
  return names.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day before which files may be deleted. */
export function oldestKeptDay(now: number, retainDays: number): string {
  return dayOf(now - retainDays * 24 * 60 * 60 * 1000);
}
