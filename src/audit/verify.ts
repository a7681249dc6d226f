import { hash } from "node:crypto";
import { join } from "node:path";
import { type JsonObject, isObject, parseJson } from "../text/json.ts";
import { type ChainEnd, FORMAT_VERSION, NEW_CHAIN } from "./chain.ts";
import { type AuditFileName, auditFiles, oldestKeptDay, parseFileName } from "./file-names.ts";
import { linesOf } from "./read-lines.ts";

/** Where the entries of a process are not what was written, or are missing. */
export interface Break {
  readonly file: string;
  /** Undefined if it concerns the whole file. */
  readonly line: number | undefined;
  readonly reason: string;
}

/** What was found about the entries of one process. */
export interface ChainReport {
  readonly run: string;
  readonly files: number;
  readonly entries: number;
  /** True if files at its beginning were deleted because of their age. */
  readonly isShortened: boolean;
  /** The number and hash of the last entry, to be compared with what was noted elsewhere. */
  readonly last: ChainEnd;
  /** The first one; undefined if there is none. */
  readonly firstBreak: Break | undefined;
}

/** Checks the chains of all processes. */
export function verifyAudit(folder: string, now = Date.now()): ChainReport[] {
  const files = auditFiles(folder);
  const kept = oldestKeptDay(now, shortestRetention(folder, files));
  const runs = [...new Set(files.map(({ run }) => run))];
  return runs.map((run) => {
    const parts = files.filter((file) => file.run === run).sort((a, b) => a.part - b.part);
    return new ChainCheck(folder, run, kept).check(parts);
  });
}

const DEFAULT_RETAIN_DAYS = 90;

/** Any process may have deleted the files of all others. */
function shortestRetention(folder: string, files: readonly AuditFileName[]): number {
  const days = files.flatMap(({ name }) => {
    const [first] = linesOf(join(folder, name));
    const start = parseJson(first?.bytes.toString() ?? "");
    const retainDays = isObject(start) ? start["retainDays"] : undefined;
    return typeof retainDays === "number" ? [retainDays] : [];
  });
  return Math.min(DEFAULT_RETAIN_DAYS, ...days);
}

/** Follows the chain of one process through its files. */
class ChainCheck {
  readonly #folder: string;
  readonly #run: string;
  readonly #kept: string;
  #end: ChainEnd = NEW_CHAIN;
  #entries = 0;
  #isShortened = false;
  #firstBreak: Break | undefined;

  constructor(folder: string, run: string, kept: string) {
    this.#folder = folder;
    this.#run = run;
    this.#kept = kept;
  }

  check(parts: readonly AuditFileName[]): ChainReport {
    let part = 0;
    for (const file of parts) {
      this.#checkFile(file, file.part === part);
      part = file.part + 1;
      if (this.#firstBreak !== undefined) break;
    }
    return {
      run: this.#run,
      files: parts.length,
      entries: this.#entries,
      isShortened: this.#isShortened,
      last: this.#end,
      firstBreak: this.#firstBreak,
    };
  }

  #checkFile({ name }: AuditFileName, isNext: boolean): void {
    let number = 0;
    for (const { bytes, isComplete } of linesOf(join(this.#folder, name))) {
      number++;
      const fields = parseJson(bytes.toString());
      const problem = this.#problemOf(fields, isComplete, number === 1 && !isNext);
      if (problem !== undefined) {
        this.#firstBreak = { file: name, line: number, reason: problem };
        return;
      }
      this.#end = { seq: this.#end.seq + 1, hash: hash("sha256", bytes) };
      this.#entries++;
    }
  }

  #problemOf(fields: unknown, isComplete: boolean, isAfterGap: boolean): string | undefined {
    if (!isComplete)
      return "the line is incomplete: the process was killed while it wrote it, or the file was cut";
    if (!isObject(fields)) return "the line is not an entry";
    if (fields["v"] !== FORMAT_VERSION) return `the format version is not ${FORMAT_VERSION}`;
    if (fields["run"] !== this.#run) return "the entry belongs to another process";
    if (isAfterGap) {
      const problem = this.#continueAfterGap(fields);
      if (problem !== undefined) return problem;
    }
    const { seq, hash: prev } = this.#end;
    if (fields["seq"] !== seq + 1)
      return `entry ${String(fields["seq"])} follows entry ${seq}: entries are missing or out of order`;
    if (fields["prev"] !== prev)
      return seq === 0
        ? "the first entry refers to an earlier one"
        : `the hash does not match: this entry, or entry ${seq} before it, was changed`;
    return undefined;
  }

  /** Files that are missing must be old enough to have been deleted because of their age. */
  #continueAfterGap(start: JsonObject): string | undefined {
    const { previous, seq, prev } = start;
    const missing = typeof previous === "string" ? parseFileName(previous) : undefined;
    if (missing === undefined) return "the file before this one is missing";
    if (missing.day >= this.#kept) return `the file before this one, ${missing.name}, is missing`;
    if (typeof seq !== "number" || typeof prev !== "string") return "the line is not an entry";
    this.#isShortened = true;
    this.#end = { seq: seq - 1, hash: prev };
    return undefined;
  }
}
