import { type FoundConfig, loadConfig } from "../config/load.ts";
import { watchConfig } from "../config/watch.ts";
import { reasonOf } from "../errors.ts";
import type { Workbench } from "./workbench.ts";

/**
 * Keeps the workbench in step with the configuration file it was made from. A file that is not valid changes nothing
 * and is reported; changes are applied one after the other.
 */
export function followConfig(workbench: Workbench, { file, text }: FoundConfig): () => void {
  let last = Promise.resolve();
  return watchConfig(file, text, () => {
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
