import { join } from "node:path";
import { auditFiles } from "../../../audit/file-names.ts";
import { type ReadEntry, readEntry } from "../../../audit/read-entries.ts";
import { LogTail } from "../../../files/log-tail.ts";

/** How many files, the most recent ones, are read for the first entries. */
const MAX_FIRST_FILES = 200;
/** A process begins a new file every day; around midnight those of two days grow. */
const GROWING_DAYS = 2;

/** The entries of all processes, as they are written. */
export class FollowedEntries {
  readonly #folder: string;
  readonly #isShown: (entry: ReadEntry) => boolean;
  readonly #tails = new Map<string, LogTail>();

  constructor(folder: string, isShown: (entry: ReadEntry) => boolean) {
    this.#folder = folder;
    this.#isShown = isShown;
  }

  /** The last entries until now. */
  first(count: number): ReadEntry[] {
    const files = auditFiles(this.#folder);
    const days = growingDays(files);
    const recent = new Set(files.slice(-MAX_FIRST_FILES));
    const read = files.filter((file) => recent.has(file) || days.has(file.day));
    const found = read.map(({ name }) => this.#entriesIn(this.#tailOf(name).end()).slice(-count));
    return inOrder(found.flat()).slice(-count);
  }

  /** The entries since then. All files that may grow are read: a new one may come anywhere in their order. */
  next(): ReadEntry[] {
    const files = auditFiles(this.#folder);
    const days = growingDays(files);
    const growing = files.filter(({ day }) => days.has(day));
    return inOrder(growing.flatMap(({ name }) => this.#entriesIn(this.#tailOf(name).lines())));
  }

  #tailOf(name: string): LogTail {
    const tail = this.#tails.get(name) ?? new LogTail(join(this.#folder, name));
    this.#tails.set(name, tail);
    return tail;
  }

  #entriesIn(lines: readonly string[]): ReadEntry[] {
    return lines.flatMap((line) => readEntry(line) ?? []).filter(this.#isShown);
  }
}

function growingDays(files: readonly { readonly day: string }[]): ReadonlySet<string> {
  return new Set([...new Set(files.map(({ day }) => day))].slice(-GROWING_DAYS));
}

function inOrder(entries: ReadEntry[]): ReadEntry[] {
  const timeOf = ({ fields }: ReadEntry): string => String(fields["time"]);
  return entries.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));
}
