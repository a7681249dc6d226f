import type { Server } from "../servers/server.ts";
import type { Scope } from "../workbench/scopes.ts";
import type { ClientView } from "./client-factory.ts";

/** The view of one server; updated when the configuration removes it and adds it again. */
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
