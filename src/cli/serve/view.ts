import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { type ClientView, serverView } from "../../serve/client-view.ts";
import { findServer, findToolbox } from "../../workbench/find.ts";
import type { Workbench } from "../../workbench/workbench.ts";

/** What to serve: all toolboxes, some of them, or one server unchanged. */
export function viewOf(
  workbench: Workbench,
  toolboxes: readonly string[] | undefined,
  server: string | undefined,
): ClientView {
  const { toolboxes: all } = workbench;
  if (server !== undefined) {
    const [toolbox = "", name = ""] = server.split("/");
    return serverView(workbench, all, orUsage(findServer(all, { toolbox, server: name })));
  }
  if (toolboxes === undefined) return { scope: all };
  for (const name of toolboxes) orUsage(findToolbox(all, name));
  return { scope: workbench.scopes.select(all, toolboxes) };
}

function orUsage<T>(found: T): Exclude<T, Error> {
  if (isWorkbenchError(found)) throw workbenchError("USAGE", { reason: found.text });
  return found as Exclude<T, Error>;
}
