import type { Principal } from "../calls/principal.ts";
import type { Server } from "../servers/server.ts";
import { type Scope, serversIn } from "../workbench/scopes.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** What the clients of one endpoint see: some toolboxes, or one server of them as it is. */
export interface ClientView {
  readonly scope: Scope;
  /** Set for the transparent view of a single server. A reload may replace it. */
  readonly server?: Server;
}

/**
 * The view of one server; it survives a reload that removes the server and adds it again. There is nothing else in
 * its scope, because saved scripts call tools with the rights of their client.
 */
export function serverView({ scopes }: Workbench, from: Scope, server: Server): ClientView {
  const scope = scopes.only(from, server.place);
  let last = server;
  return {
    scope,
    get server() {
      // A removed server reports that itself when it is used.
      last = scope.get(last.settings.toolbox)?.servers.get(last.name) ?? last;
      return last;
    },
  };
}

/** The part of a view that a principal may see; undefined if it is a single server that it may not. */
export function principalView(
  workbench: Workbench,
  view: ClientView,
  principal: Principal,
): ClientView | undefined {
  const scope = workbench.scopes.restrict(view.scope, principal);
  const { server } = view;
  if (server === undefined) return { scope };
  const isVisible = scope.get(server.settings.toolbox)?.servers.has(server.name) === true;
  return isVisible ? serverView(workbench, scope, server) : undefined;
}

export function isServerView(view: ClientView): view is ClientView & { readonly server: Server } {
  return view.server !== undefined;
}

export function serversOf({ scope, server }: ClientView): Server[] {
  return server === undefined ? serversIn(scope) : [server];
}
