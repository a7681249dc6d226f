import { type FoundConfig, parseConfig, readConfig } from "../config/load.ts";
import { contentOf, watchConfig } from "../config/watch.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { isWorkbenchError, reasonOf } from "../errors.ts";
import { EnvFileWatchers } from "./env-file-watchers.ts";
import type { Workbench } from "./workbench.ts";

export interface ReloadHooks {
  /** Adds to the settings of a file, given with its text, what is not in it. */
  readonly complete?: (
    settings: WorkbenchSettings,
    text: string,
  ) => WorkbenchSettings | Promise<WorkbenchSettings>;
  /** Clients have been notified of the change. */
  readonly onApplied?: () => void;
}

export interface ConfigFollower {
  /** Applies the file as it is now. */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Keeps the workbench in step with its configuration file and the files it takes variables and
 * secrets from. An invalid file is reported and changes nothing, and so is a file of the current
 * folder that is no longer the one the user trusted. Changes are applied one after the other.
 */
export function followConfig(
  workbench: Workbench,
  config: FoundConfig,
  hooks: ReloadHooks = {},
): ConfigFollower {
  let last = Promise.resolve();
  let stopTrust: (() => void) | undefined;
  const apply = async (): Promise<void> => {
    stopTrust?.();
    // Read before the configuration is checked: a decision made in between counts as a change.
    const trust = config.fromCurrentFolder ? await trustRecord() : undefined;
    const isUntrusted = await reload(workbench, config, hooks);
    stopTrust = trust && isUntrusted ? watchConfig(trust.file, trust.text, changed) : undefined;
    envFiles.update(workbench.settings);
  };
  const changed = (): Promise<void> => (last = last.then(apply));
  const stop = watchConfig(config.file, config.text, changed);
  const envFiles = new EnvFileWatchers(workbench.settings, changed);
  return {
    refresh: changed,
    stop: () => {
      stop();
      envFiles.close();
      stopTrust?.();
    },
  };
}

/** Returns whether the change waits for the user to trust it. */
async function reload(
  workbench: Workbench,
  config: FoundConfig,
  { complete = (settings) => settings, onApplied }: ReloadHooks,
): Promise<boolean> {
  try {
    const { text, file } = await readConfig(config);
    const next = await parseConfig(text, { file });
    for (const warning of next.warnings) workbench.host.log.warn(warning);
    workbench.configProblem = undefined;
    await workbench.apply(await complete(next, text));
    onApplied?.();
    // Not awaited: a keychain or a password manager may ask the user first.
    void workbench.renewSecrets();
    return false;
  } catch (error) {
    workbench.configProblem = reasonOf(error);
    workbench.host.log.error(`configuration not applied: ${reasonOf(error)}`);
    return isWorkbenchError(error) && error.code === "CONFIG_NOT_TRUSTED";
  }
}

async function trustRecord(): Promise<{ readonly file: string; readonly text: string }> {
  const { trustFile } = await import("../config/trust/trust.ts");
  const file = trustFile();
  return { file, text: contentOf(file) };
}
