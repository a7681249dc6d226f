import type { Server } from "../servers/server.ts";
import { type Scope, serversIn } from "../workbench/scopes.ts";

/** What the clients of one endpoint see: some toolboxes, or one server of them as it is. */
export interface ClientView {
  readonly scope: Scope;
  /** Set for the transparent view of a single server. A reload may replace it. */
  readonly server?: Server;
}

/** The view of one server; it survives a reload that removes the server and adds it again. */
export function serverView(scope: Scope, server: Server): ClientView {
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

export function isServerView(view: ClientView): view is ClientView & { readonly server: Server } {
  return view.server !== undefined;
}

export function serversOf({ scope, server }: ClientView): Server[] {
  return server === undefined ? serversIn(scope) : [server];
}
