import { execFile } from "node:child_process";
import { open, readdir } from "node:fs/promises";

/** A running process, as the operating system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Distinguishes it from a later process with the same id. */
  readonly started: string;
}

let reading: Promise<readonly ProcessRow[]> | undefined;

/**
 * All processes of the machine except zombies. Servers that end at the same time share one listing.
 * Processes that cannot be read are left out; this is only used to end servers more thoroughly.
 */
export function processTable(): Promise<readonly ProcessRow[]> {
  reading ??= (process.platform === "linux" ? fromProc() : fromPs()).finally(() => {
    reading = undefined;
  });
  return reading;
}

/** Many containers have no `ps`. */
async function fromProc(): Promise<ProcessRow[]> {
  const entries = await readdir("/proc").catch(() => []);
  const rows: ProcessRow[] = [];
  // One after the other through one buffer: readFile would take 64 KB for each file of unknown size.
  const buffer = Buffer.alloc(STAT_BYTES);
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readStat(`/proc/${entry}/stat`, buffer);
    const row = stat === undefined ? undefined : parseStat(Number(entry), stat);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** More than the fields and the name of a process can take. */
const STAT_BYTES = 2048;

/** The file as text; undefined if the process is gone. */
async function readStat(file: string, buffer: Buffer): Promise<string | undefined> {
  try {
    const handle = await open(file);
    try {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

export function parseStat(pid: number, stat: string): ProcessRow | undefined {
  // The name of the program may contain spaces and parentheses, so fields are counted after its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const started = fields[19];
  if (started === undefined || isDead(state)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), started };
}

const PS_ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/;

function fromPs(): Promise<ProcessRow[]> {
  return new Promise((resolve) => {
    const columns = "pid=,ppid=,pgid=,state=,lstart=";
    execFile("ps", ["-A", "-o", columns], { windowsHide: true }, (_error, stdout) =>
      resolve(parsePs(stdout)),
    );
  });
}

export function parsePs(output: string): ProcessRow[] {
  return output.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, started = ""] = PS_ROW.exec(line) ?? [];
    if (pid === undefined || isDead(state)) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started }];
  });
}

function isDead(state: string | undefined): boolean {
  return state === undefined || state.startsWith("Z") || state.startsWith("X");
}

/**
 * Descendants of a group that are not in it: those with their own session, as browsers have, and
 * everything they have started. `known` are earlier results; they still count when the process that
 * connected them has ended.
 */
export function straysOf(
  table: readonly ProcessRow[],
  group: number,
  known: readonly ProcessRow[] = [],
): ProcessRow[] {
  const family = new Set<ProcessRow>();
  const pids = new Set<number>();
  const groups = new Set([group]);
  const isKnown = (row: ProcessRow): boolean =>
    known.some(({ pid, started }) => pid === row.pid && started === row.started);
  const belongs = (row: ProcessRow): boolean =>
    groups.has(row.group) || pids.has(row.parent) || isKnown(row);
  let size = -1;
  while (size < family.size) {
    size = family.size;
    for (const row of table) {
      if (family.has(row) || !belongs(row)) continue;
      family.add(row);
      pids.add(row.pid);
      groups.add(row.group);
    }
  }
  return [...family].filter((row) => row.group !== group);
}
