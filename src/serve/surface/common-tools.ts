import type { Workbench } from "../../workbench/workbench.ts";
import { runScript } from "./run-script.ts";
import { searchTools } from "./search.ts";
import type { MetaToolRoute } from "./tool-surface.ts";

/** The meta-tools that exist in every mode. */
export function commonTools(workbench: Workbench): [string, MetaToolRoute][] {
  return [
    ["search_tools", searchTools(workbench)],
    ["run_script", runScript(workbench)],
  ];
}
