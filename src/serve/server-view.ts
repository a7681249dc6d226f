import type { Server } from "../servers/server.ts";
import type { Scope } from "../workbench/scopes.ts";
import type { ClientView } from "./client-factory.ts";

/** The view of one server; stays right when the configuration takes it away and brings it back. */
export function serverView(scope: Scope, server: Server): ClientView {
  let last = server;
  return {
    scope,
    get server() {
      // One that was taken away says so itself to whoever wants to use it.
      last = scope.get(last.settings.toolbox)?.servers.get(last.name) ?? last;
      return last;
    },
  };
}
