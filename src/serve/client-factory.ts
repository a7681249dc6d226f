import { type Principal, STDIO_PRINCIPAL } from "../calls/principal.ts";
import type { ToolMode } from "../config/types.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { CatalogueSurface } from "./surface/catalogue-surface.ts";
import type { ClientOutput } from "./client-output.ts";
import { type ClientView, isServerView } from "./client-view.ts";
import { ModernClients } from "./modern/clients.ts";
import { NativeTools } from "./surface/native-tools.ts";
import { ProxyTools } from "./surface/proxy-tools.ts";
import { runSavedScripts } from "./surface/run-script.ts";
import { ScopeTools } from "./surface/scope-tools.ts";
import { type SeeTools, seenBy } from "./surface/seen-tools.ts";
import { Session, type SessionOptions } from "./legacy/session.ts";
import type { Surface } from "./surface/surface.ts";
import { TransparentSurface, LISTENING_CLIENT } from "./surface/transparent-surface.ts";

/** A client of the legacy era. */
export function newSession(
  workbench: Workbench,
  view: ClientView,
  output: ClientOutput,
  options?: SessionOptions,
): Session {
  const { principal = STDIO_PRINCIPAL } = options ?? {};
  const viewer = { principal, pipeline: workbench.pipeline.for(principal) };
  const seen: SeeTools = (server, catalogue) => seenBy(viewer, server, catalogue);
  return new Session(
    workbench,
    view.scope,
    (client) => {
      const { connections, notifications } = client;
      const notifyToolsChanged = (): void => notifications.send("notifications/tools/list_changed");
      if (isServerView(view)) {
        runSavedScripts(workbench);
        return new TransparentSurface(view, {
          connectionTo: (server) => connections.get(server),
          notifyToolsChanged,
          seen,
        });
      }
      const tools =
        workbench.settings.toolMode === "dynamic"
          ? new NativeTools(
              workbench,
              {
                scope: view.scope,
                principal,
                connect: (server) => connections.awaitConnection(server),
                seen,
                get showsPages() {
                  return client.profile.showsPages;
                },
                release: (toolbox) => connections.release(toolbox),
              },
              notifyToolsChanged,
            )
          : new ProxyTools(workbench, view.scope, principal, notifyToolsChanged);
      return new CatalogueSurface(workbench, tools);
    },
    output,
    options,
  );
}

/** The modern clients of an endpoint, which all belong to this principal. */
export function newModernClients(
  workbench: Workbench,
  view: ClientView,
  principal: Principal,
  options?: ConstructorParameters<typeof ModernClients>[4],
): ModernClients {
  const surface = modernSurface(workbench, view, principal);
  return new ModernClients(workbench, view, surface, principal, options);
}

/** Modern clients have no state here, so a changed mode takes effect with the next request. */
function modernSurface(
  workbench: Workbench,
  view: ClientView,
  principal: Principal,
): () => Surface {
  if (isServerView(view)) {
    runSavedScripts(workbench);
    const surface = new TransparentSurface(view, LISTENING_CLIENT);
    return () => surface;
  }
  const surfaces: Readonly<Record<ToolMode, Surface>> = {
    proxy: new CatalogueSurface(
      workbench,
      new ProxyTools(workbench, view.scope, principal, () => {}),
    ),
    dynamic: new CatalogueSurface(workbench, new ScopeTools(workbench)),
  };
  return () => surfaces[workbench.settings.toolMode];
}
