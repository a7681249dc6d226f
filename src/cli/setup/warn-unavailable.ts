import type { WorkbenchSettings } from "../../config/types.ts";
import { plural } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { serversIn } from "../../workbench/scopes.ts";

/** Warns about unavailable servers in one line; `doctor` has the details. */
export function warnUnavailable(settings: WorkbenchSettings, out: Output): void {
  const lacking = serversIn(settings.toolboxes).filter(
    ({ unavailable }) => unavailable !== undefined,
  );
  if (lacking.length === 0) return;
  const names = lacking.map(({ toolbox, name }) => `${toolbox}/${name}`).join(", ");
  out.warn(
    `${plural(lacking.length, "server")} cannot be started until variables are set: ${names}. See mcp-workbench doctor`,
  );
}
