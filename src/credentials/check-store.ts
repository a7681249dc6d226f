import { join } from "node:path";

import type { CredentialMode } from "../config/types.ts";
import { reasonOf } from "../errors.ts";
import { assertFolder, recordNames, widePermissions } from "./private-files.ts";
import type { RecordFiles } from "./record-files.ts";
import type { Protection, StoreCheck } from "./types.ts";

/** Examines the store for `doctor`. Reading makes files private, so permissions come first. */
export async function checkStore(
  files: RecordFiles,
  mode: CredentialMode,
  protection: () => Promise<Protection>,
): Promise<StoreCheck> {
  const { folder } = files;
  const problems: string[] = [];
  let names: readonly string[] = [];
  try {
    const folderMode = widePermissions(folder);
    assertFolder(folder);
    if (folderMode !== undefined) problems.push(wideProblem(folder, folderMode));
    names = recordNames(folder);
  } catch (error) {
    problems.push(`${reasonOf(error)}.`);
  }
  const records = { encrypted: 0, plain: 0 };
  for (const name of names) {
    const file = join(folder, name);
    const fileMode = widePermissions(file);
    try {
      const found = await files.read(name, `in ${file}`);
      if (found !== undefined) records[found.isEncrypted ? "encrypted" : "plain"]++;
      if (fileMode !== undefined) problems.push(wideProblem(file, fileMode));
    } catch (error) {
      problems.push(`${reasonOf(error)}.`);
    }
  }
  const inEffect = await protection();
  if (mode === "keychain" && inEffect.reason !== undefined)
    problems.push(
      `The keychain cannot be used: ${inEffect.reason}. Unlock it, or set "credentials" to "auto" or "file".`,
    );
  if (mode === "keychain" && records.plain > 0)
    problems.push(
      `Not encrypted yet: ${records.plain} of the stored sign-ins. The next refresh or login encrypts them.`,
    );
  return { folder, mode, protection: inEffect, records, problems };
}

function wideProblem(path: string, mode: string): string {
  return `Other users had access to ${path} (mode ${mode}). This is corrected; if others use this machine, sign in again.`;
}
