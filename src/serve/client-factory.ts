import type { ToolMode } from "../config/types.ts";
import type { Server } from "../servers/server.ts";
import type { Scope } from "../workbench/scopes.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { CatalogueSurface } from "./surface/catalogue-surface.ts";
import type { ClientOutput } from "./client-output.ts";
import { ModernClients } from "./modern/clients.ts";
import { NativeTools } from "./surface/native-tools.ts";
import { ProxyTools } from "./surface/proxy-tools.ts";
import { ScopeTools } from "./surface/scope-tools.ts";
import { Session, type SessionOptions } from "./legacy/session.ts";
import type { Surface } from "./surface/surface.ts";
import { TransparentSurface, UNTOLD } from "./surface/transparent-surface.ts";

/** What the clients of an endpoint see: some toolboxes, or one server unchanged. */
export interface ClientView {
  readonly scope: Scope;
  /** Set for the transparent view of a single server. The server may be replaced over time. */
  readonly server?: Server;
}

function isOfServer(view: ClientView): view is ClientView & { readonly server: Server } {
  return view.server !== undefined;
}

/** A client of the legacy era. */
export function newSession(
  workbench: Workbench,
  view: ClientView,
  output: ClientOutput,
  options?: SessionOptions,
): Session {
  return new Session(
    workbench,
    view.scope,
    (session) => {
      const toolsChanged = (): void => session.notify("notifications/tools/list_changed");
      if (isOfServer(view))
        return new TransparentSurface(view, {
          connectionTo: (server) => session.connectionTo(server),
          notifyToolsChanged: toolsChanged,
        });
      const tools =
        workbench.settings.toolMode === "dynamic"
          ? new NativeTools(workbench, {
              scope: view.scope,
              connect: (server) => session.connect(server),
              release: (toolbox) => session.release(toolbox),
              notifyToolsChanged: toolsChanged,
            })
          : new ProxyTools(workbench, view.scope, toolsChanged);
      return new CatalogueSurface(workbench, tools);
    },
    output,
    options,
  );
}

/** The modern clients of an endpoint; `one` if they are the same client, as over stdio. */
export function newModernClients(
  workbench: Workbench,
  view: ClientView,
  one: boolean,
): ModernClients {
  return new ModernClients(workbench, view, modernSurface(workbench, view), one);
}

/** Modern clients have no state here, so a changed mode takes effect with the next request. */
function modernSurface(workbench: Workbench, view: ClientView): () => Surface {
  if (isOfServer(view)) {
    const surface = new TransparentSurface(view, UNTOLD);
    return () => surface;
  }
  const surfaces: Readonly<Record<ToolMode, Surface>> = {
    proxy: new CatalogueSurface(workbench, new ProxyTools(workbench, view.scope, () => {})),
    dynamic: new CatalogueSurface(workbench, new ScopeTools(workbench)),
  };
  return () => surfaces[workbench.settings.toolMode];
}
