import { fingerprint, redoSplice, spliceBetween, undoSplice } from "../files/splice.ts";
import { type InstallRecord, readRecord, recordedNames } from "./journal.ts";
import type { Plan } from "./plan.ts";

type Base = Pick<InstallRecord, "backup" | "createdFolders" | "at">;

/** How many installations into one file can be undone one by one. */
const MAX_STEPS = 10;

/** Builds the record; an installation on top of an earlier one can be undone alone or together with it. */
export async function recordFor(
  plan: Plan,
  stateDir: string,
  base: Base,
): Promise<(after: string, via: InstallRecord["via"]) => InstallRecord> {
  const { row, file, before = "", own, key, project } = plan;
  const earlier = recordInEffect(await readRecord(stateDir, file), before);
  const isUntouched = earlier !== undefined && earlier.after === fingerprint(before);
  const isOriginal = earlier?.before === fingerprint(before);
  const original = isUntouched ? undoSplice(before, earlier.splice) : before;
  const again = new Set(plan.removed.map(({ path }) => JSON.stringify(path)));
  // Entries that the user has restored are not ours to restore any longer.
  const gone = isOriginal ? [] : (earlier?.removed ?? []);
  const kept = gone.filter(({ path }) => !again.has(JSON.stringify(path)));
  const common = {
    version: 1,
    client: row.id,
    file,
    project,
    name: own?.name ?? earlier?.name,
    names: [...new Set([...recordedNames(earlier), ...(own === undefined ? [] : [own.name])])],
    key,
    created: Math.max(earlier?.created ?? 0, plan.created),
    createdFile: isUntouched ? earlier.createdFile : plan.before === undefined,
    removed: [...kept, ...plan.removed],
    edited: earlier?.edited === true || (earlier !== undefined && !isUntouched && !isOriginal),
    before: fingerprint(original),
    ...base,
    createdFolders: [...base.createdFolders, ...(earlier?.createdFolders ?? [])],
    own: { name: own?.name, value: plan.ownBefore, removed: plan.removed },
    // Without the file, or in its original, nothing is left of earlier installations.
    earlier: isOriginal || plan.before === undefined ? undefined : shortened(earlier, MAX_STEPS),
  } as const;
  return (after, via) => ({
    ...common,
    splice: spliceBetween(original, after),
    after: fingerprint(after),
    via,
  });
}

/** The record without a last installation that was interrupted before it changed the file. */
export function recordInEffect(
  record: InstallRecord | undefined,
  text: string,
): InstallRecord | undefined {
  if (record?.earlier === undefined || record.after === fingerprint(text)) return record;
  return record.earlier.after === fingerprint(text) ? record.earlier : record;
}

/** The text before the last of several installations, if the file is still what it left. */
export function textBeforeLast(text: string, record: InstallRecord): string | undefined {
  const { earlier, splice, after, before } = record;
  if (earlier === undefined || fingerprint(text) !== after) return undefined;
  const original = undoSplice(text, splice);
  if (fingerprint(original) !== before) return undefined;
  const isOnTop = earlier.before === before;
  const previous = isOnTop ? redoSplice(original, earlier.splice) : original;
  return isOnTop && fingerprint(previous) !== earlier.after ? undefined : previous;
}

/** The text without the workbench, if the file is still what the installation left. */
export function originalText(
  text: string,
  record: InstallRecord,
): { readonly text: string | undefined } | undefined {
  if (record.edited === true) return undefined;
  if (fingerprint(text) === record.before) return { text };
  if (fingerprint(text) !== record.after) return undefined;
  const original = undoSplice(text, record.splice);
  if (fingerprint(original) !== record.before) return undefined;
  return { text: record.createdFile ? undefined : original };
}

/** The record after one of several entries was removed; the file can still be restored exactly. */
export function recordAfter(record: InstallRecord, before: string, after: string): InstallRecord {
  // An earlier record would bring the removed entry back.
  const common = { ...record, earlier: undefined };
  if (record.after !== fingerprint(before)) return common;
  const original = undoSplice(before, record.splice);
  return { ...common, splice: spliceBetween(original, after), after: fingerprint(after) };
}

function shortened(record: InstallRecord | undefined, steps: number): InstallRecord | undefined {
  if (record === undefined || steps === 0) return undefined;
  return { ...record, earlier: shortened(record.earlier, steps - 1) };
}
