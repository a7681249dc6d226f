import { join } from "node:path";
import { type JsonObject, isObject, parseJson } from "../text/json.ts";
import { type AuditFileName, auditFiles } from "./file-names.ts";
import { linesOf } from "./read-lines.ts";

/** An entry as it was read: it may have been written by any version, or by hand. */
export interface ReadEntry {
  readonly line: string;
  readonly fields: JsonObject;
}

/** The entry in a line; undefined if it is not one. */
export function readEntry(line: string): ReadEntry | undefined {
  const fields = parseJson(line);
  return isObject(fields) && typeof fields["seq"] === "number" ? { line, fields } : undefined;
}

/**
 * The entries of all processes in the files of these days, in the order of time. Lines that are not
 * entries are left out and reported.
 */
export function* entriesInOrder(
  folder: string,
  isDay: (day: string) => boolean,
  onDamaged: (file: string) => void,
): Generator<ReadEntry, void> {
  const files = auditFiles(folder).filter(({ day }) => isDay(day));
  // Files are read day by day, so that only those of one day are open at the same time.
  for (const day of new Set(files.map((file) => file.day)))
    yield* merged(files.filter((file) => file.day === day).map((file) => readFile(file)));

  function* readFile({ name }: AuditFileName): Generator<ReadEntry, void> {
    for (const { bytes } of linesOf(join(folder, name))) {
      const entry = readEntry(bytes.toString());
      if (entry === undefined) onDamaged(name);
      else yield entry;
    }
  }
}

/** Merges sequences that are ordered by time. */
function* merged(sequences: Generator<ReadEntry, void>[]): Generator<ReadEntry, void> {
  const heads = sequences.flatMap((sequence) => {
    const { value } = sequence.next();
    return value ? [{ sequence, entry: value, time: timeOf(value) }] : [];
  });
  while (heads.length > 0) {
    let first = heads[0];
    for (const head of heads) if (first === undefined || head.time < first.time) first = head;
    if (first === undefined) return;
    yield first.entry;
    const { value } = first.sequence.next();
    if (value) Object.assign(first, { entry: value, time: timeOf(value) });
    else heads.splice(heads.indexOf(first), 1);
  }
}

function timeOf({ fields }: ReadEntry): string {
  return String(fields["time"]);
}
