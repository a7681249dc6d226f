import type { PinMode } from "../config/types.ts";
import { contentOf, watchConfig } from "../config/watch.ts";
import { isWorkbenchError, reasonOf } from "../errors.ts";
import type { DefinitionPins } from "../servers/definition-pins.ts";
import { ApprovedDefinitions, HashCache, type ReportProblem } from "./approved-definitions.ts";
import { readLock } from "./lock-store.ts";

export interface FollowOptions {
  readonly mode: PinMode;
  readonly report: ReportProblem;
  /** Called with the new approvals when the lock file has changed. */
  readonly onChange: (pins: DefinitionPins) => void;
}

/** The approvals in a lock file, now and whenever the file changes. */
export async function followLock(
  file: string | undefined,
  { mode, report, onChange }: FollowOptions,
): Promise<{ readonly pins: DefinitionPins; close(): void }> {
  const hashes = new HashCache();
  const isEnforced = mode === "enforce";
  const approved = async (): Promise<DefinitionPins> =>
    new ApprovedDefinitions(await lockOrProblem(file, isEnforced), isEnforced, hashes, report);
  if (file === undefined) return { pins: await approved(), close: () => {} };
  // Read first: a change in between is noticed by the watcher.
  const known = contentOf(file);
  const pins = await approved();
  let last = Promise.resolve();
  const close = watchConfig(file, known, () => {
    last = last.then(async () => onChange(await approved()));
  });
  return { pins, close };
}

type LockOrProblem = ConstructorParameters<typeof ApprovedDefinitions>[0];

async function lockOrProblem(
  file: string | undefined,
  isEnforced: boolean,
): Promise<LockOrProblem> {
  if (file === undefined) return "there is no configuration file, so there is no lock file";
  try {
    const lock = await readLock(file);
    if (lock !== undefined) return lock;
    // Without a lock file there is nothing to compare with.
    return isEnforced ? `there is no ${file}. To write it: mcp-workbench lock` : undefined;
  } catch (error) {
    const reason = isWorkbenchError(error) ? (error.reason ?? error.text) : reasonOf(error);
    return `${file} is damaged: ${reason}`;
  }
}
