import { fingerprint, spliceBetween, undoSplice } from "../files/splice.ts";
import { type InstallRecord, readRecord, recordedNames } from "./journal.ts";
import type { Plan } from "./plan.ts";

type Base = Pick<InstallRecord, "backup" | "createdFolders" | "at">;

/** Builds the record; an installation on top of an earlier one can be undone together with it. */
export async function recordFor(
  plan: Plan,
  stateDir: string,
  base: Base,
): Promise<(after: string, via: InstallRecord["via"]) => InstallRecord> {
  const { row, file, before = "", own, key, project } = plan;
  const earlier = await readRecord(stateDir, file);
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
  } as const;
  return (after, via) => ({
    ...common,
    splice: spliceBetween(original, after),
    after: fingerprint(after),
    via,
  });
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
  if (record.after !== fingerprint(before)) return record;
  const original = undoSplice(before, record.splice);
  return { ...record, splice: spliceBetween(original, after), after: fingerprint(after) };
}
