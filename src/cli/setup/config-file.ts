import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

import { lineMask } from "../../secrets/in-entry.ts";
import { expandHome, homeDir, thisMachine } from "../../config/directories.ts";
import { parseConfig } from "../../config/load.ts";
import { CONFIG_FILE_NAME, locateConfig, ownConfigPath } from "../../config/locate.ts";
import { trustConfig, trustOf } from "../../config/trust/trust.ts";
import { isWorkbenchError } from "../../errors.ts";
import {
  assertWritable,
  backUp,
  createFolders,
  writeFileAtomic,
} from "../../files/write-atomic.ts";
import { unifiedDiff } from "../../files/diff.ts";
import { realPathOf } from "../../files/real-path.ts";
import { fingerprint, spliceBetween } from "../../files/splice.ts";
import type { Context } from "../core/command.ts";
import { addChange, type ConfigChange, forgetChange } from "./config-changes.ts";
import { privateStateFolder } from "../core/host-info.ts";
import { type SecretAdditions, newSecrets, recordOf, removeUnused } from "./stored-secrets.ts";

type ConfigContext = Pick<Context, "args" | "env" | "cwd">;

/** The path of the existing configuration, trusted or not. */
export function existingConfig({ args, env, cwd }: ConfigContext): string | undefined {
  try {
    return locateConfig({ file: args.text("config"), env, cwd }).file;
  } catch (error) {
    if (isWorkbenchError(error) && error.code === "CONFIG_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Where to create a configuration: the path the user gave, else the user's own configuration. */
export function newConfigPath({ args, env, cwd }: ConfigContext): string {
  const machine = thisMachine(env);
  const named = args.text("config") ?? env["WORKBENCH_CONFIG"];
  if (named) return resolve(cwd, expandHome(named, homeDir(machine)));
  return ownConfigPath(machine);
}

/** Whether the current folder chooses this file, so that its author controls which file it is. */
export function isChosenByFolder({ args, env, cwd }: ConfigContext, file: string): boolean {
  if (args.text("config") !== undefined) return false;
  const machine = thisMachine(env);
  const named = env["WORKBENCH_CONFIG"];
  if (!named) return file !== ownConfigPath(machine);
  const path = expandHome(named, homeDir(machine));
  // What is above the folder was named by the user in full.
  return !isAbsolute(path) && !relative(cwd, resolve(cwd, path)).startsWith("..");
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

/** Checks the new text before it is written: an edit never leaves an invalid configuration. */
export async function planConfig(
  context: Pick<Context, "env" | "out">,
  file: string,
  before: string | undefined,
  after: string,
): Promise<ConfigEdit> {
  const { secrets } = await parseConfig(after, { file, env: context.env });
  context.out.hide(secrets);
  await assertWritable(file);
  return { file, before, after, diff: await configDiff(file, before ?? "", after) };
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
  context: Pick<Context, "env">,
  edit: ConfigEdit,
  what: string,
  isAllOurs = edit.before === undefined,
): Promise<string | undefined> {
  const { file, before, after, secrets } = edit;
  if (before === after) return undefined;
  const stateDir = privateStateFolder(context);
  const now = new Date();
  const backup =
    before === undefined ? undefined : await backUp(file, join(stateDir, "backups"), now);
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
  await addChange(stateDir, change);
  try {
    await createFolders(dirname(file));
    await added?.store.set(added.values);
    await writeFileAtomic(file, after, { expect: { text: before } });
  } catch (error) {
    await forgetChange(stateDir, change);
    // The reason for the failure matters more than secrets that are left.
    await removeUnused(context, added, file).catch(() => undefined);
    throw error;
  }
  await keepTrust(context, edit, isAllOurs);
  return backup;
}

/** What the user writes with our commands needs no further consent; untrusted content from before still does. */
async function keepTrust(
  { env }: Pick<Context, "env">,
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
