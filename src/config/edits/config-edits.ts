import { basename, dirname, join } from "node:path";

import { backUp, createFolders, writeFileAtomic } from "../../files/write-atomic.ts";
import { unifiedDiff } from "../../files/diff.ts";
import { realPathOf } from "../../files/real-path.ts";
import { fingerprint, spliceBetween } from "../../files/splice.ts";
import { lineMask } from "../../secrets/in-entry.ts";
import type { Environment } from "../canonical/expand.ts";
import { privateStateFolder, thisMachine } from "../directories.ts";
import { parseConfig } from "../load.ts";
import { CONFIG_FILE_NAME, ownConfigPath } from "../locate.ts";
import { trustConfig, trustOf } from "../trust/trust.ts";
import { addChange, type ConfigChange, forgetChange } from "./config-changes.ts";
import { type SecretAdditions, newSecrets, recordOf, removeUnused } from "./stored-secrets.ts";

/** The environment in which an edit is made. */
export interface EditContext {
  readonly env: Environment;
}

/** A planned change to a configuration. */
export interface ConfigEdit {
  readonly file: string;
  /** Undefined when there is no such file. */
  readonly before: string | undefined;
  readonly after: string;
  /** With secrets masked; empty when nothing would change. */
  readonly diff: string;
  /** Secrets that the new text refers to. They are stored before it is written. */
  readonly secrets?: SecretAdditions | undefined;
}

/** The diff between two versions of a configuration, with secrets masked. */
export async function configDiff(file: string, before: string, after: string): Promise<string> {
  const secretsOf = (text: string): Promise<readonly string[]> =>
    // The texts contain no values of variables, and an untrusted one must not read any.
    parseConfig(text, { file, env: {}, readsSecrets: false }).then(
      ({ secrets }) => secrets,
      // An invalid text is masked line by line.
      () => [],
    );
  const secrets = await Promise.all([before, after].map(secretsOf));
  return unifiedDiff(before, after, { from: file, to: file, mask: lineMask(secrets.flat()) });
}

/**
 * Makes the change: backup, record for `undo`, then one atomic replacement. Returns the backup.
 * `isAllOurs`: nothing of the previous content is left.
 */
export async function applyConfig(
  context: EditContext,
  edit: ConfigEdit,
  what: string,
  isAllOurs = edit.before === undefined,
): Promise<string | undefined> {
  const { file, before, after, secrets } = edit;
  if (before === after) return undefined;
  const folder = privateStateFolder(context);
  const now = new Date();
  const backup =
    before === undefined ? undefined : await backUp(file, join(folder, "backups"), now);
  const added = secrets && (await newSecrets(secrets));
  const record = added && recordOf(added);
  const change: ConfigChange = {
    version: 1,
    file,
    what,
    at: now.toISOString(),
    created: before === undefined,
    splice: spliceBetween(before ?? "", after),
    before: fingerprint(before ?? ""),
    after: fingerprint(after),
    backup,
    ...(record && { secrets: record }),
  };
  await addChange(folder, change);
  try {
    await createFolders(dirname(file));
    await added?.store.set(added.values);
    await writeFileAtomic(file, after, { expect: { text: before } });
  } catch (error) {
    await forgetChange(folder, change);
    // The reason for the failure matters more than secrets that are left.
    await removeUnused(context, added, file).catch(() => undefined);
    throw error;
  }
  await keepTrust(context, edit, isAllOurs);
  return backup;
}

/** What the user writes with our commands needs no further consent; untrusted content from before still does. */
async function keepTrust(
  { env }: EditContext,
  { file, before = "", after }: ConfigEdit,
  isAllOurs: boolean,
): Promise<void> {
  const real = realPathOf(file);
  const isFoundByFolder =
    basename(file) === CONFIG_FILE_NAME && file !== ownConfigPath(thisMachine(env));
  const wasTrusted = trustOf({ file: real, bytes: Buffer.from(before) }, env) === "trusted";
  if (wasTrusted || (isAllOurs && isFoundByFolder))
    await trustConfig({ file: real, bytes: Buffer.from(after) }, env);
}
