import { loadConfig } from "../config/load.ts";
import { watchConfig } from "../config/watch.ts";
import { reasonOf } from "../errors.ts";
import type { Workbench } from "./workbench.ts";

/**
 * Keeps the workbench in step with its configuration file. A file that is not valid changes nothing
 * and is reported; changes are applied one after the other.
 */
export function followConfig(workbench: Workbench): () => void {
  const { file } = workbench.settings;
  if (file === undefined) return () => {};
  let last = Promise.resolve();
  return watchConfig(file, () => {
    last = last.then(() => reload(workbench, file));
  });
}

async function reload(workbench: Workbench, file: string): Promise<void> {
  try {
    const next = await loadConfig({ file });
    for (const warning of next.warnings) workbench.host.log.warn(warning);
    workbench.configProblem = undefined;
    await workbench.apply(next);
  } catch (error) {
    workbench.configProblem = reasonOf(error);
    workbench.host.log.error(`configuration not applied: ${reasonOf(error)}`);
  }
}
