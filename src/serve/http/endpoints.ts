import type { Principal } from "../../calls/principal.ts";
import { type WorkbenchError, isWorkbenchError, workbenchError } from "../../errors.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { findServer, findToolbox } from "../../workbench/find.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { newModernClients } from "../client-factory.ts";
import type { ModernClients } from "../modern/clients.ts";
import { type ClientView, principalView, serverView } from "../client-view.ts";
import { knownTool } from "./known-tool.ts";

/** One path that clients of a principal connect to, and what they see there. */
export class Endpoint {
  readonly view: ClientView;
  readonly principal: Principal;
  /** The names after `/mcp`. */
  readonly path: string;
  readonly #workbench: Workbench;
  #modern: ModernClients | undefined;

  constructor(workbench: Workbench, view: ClientView, principal: Principal, path: string) {
    this.#workbench = workbench;
    this.view = view;
    this.principal = principal;
    this.path = path;
  }

  get modern(): ModernClients {
    this.#modern ??= newModernClients(this.#workbench, this.view, this.principal);
    return this.#modern;
  }

  /** The definition of a tool that clients can call here by this name, if it is known. */
  knownTool(name: string): ListedTool | undefined {
    const { pipeline, settings } = this.#workbench;
    const viewer = { principal: this.principal, pipeline: pipeline.for(this.principal) };
    return knownTool(this.view, viewer, name, settings.toolMode === "dynamic");
  }

  /** Whether a modern client has to return with input. */
  get isAsked(): boolean {
    return this.#modern?.isAsked === true;
  }

  endStreams(): void {
    this.#modern?.endListeners();
  }

  close(): void {
    this.#modern?.close();
  }
}

/** The endpoints of a principal, by the names that follow `/mcp` in the path. */
export class Endpoints {
  readonly #workbench: Workbench;
  readonly #served: ClientView;
  readonly #principal: Principal;
  #whole: ClientView | undefined;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(workbench: Workbench, served: ClientView, principal: Principal) {
    this.#workbench = workbench;
    this.#served = served;
    this.#principal = principal;
  }

  find(names: readonly string[]): Endpoint | WorkbenchError {
    const view = this.#viewOf(names);
    if (isWorkbenchError(view)) return view;
    const key = names.join("/");
    const known = this.#endpoints.get(key);
    if (known?.view.server === view.server && known?.view.scope === view.scope) return known;
    // The configuration has replaced the toolbox of this name, or removed it for a while.
    known?.close();
    const endpoint = new Endpoint(this.#workbench, view, this.#principal, key);
    this.#endpoints.set(key, endpoint);
    return endpoint;
  }

  get isAsked(): boolean {
    return [...this.#endpoints.values()].some(({ isAsked }) => isAsked);
  }

  endStreams(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.endStreams();
  }

  close(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.close();
    this.#workbench.scopes.release(this.#served.scope, this.#principal);
  }

  #viewOf(names: readonly string[]): ClientView | WorkbenchError {
    // What the command line and the principal allow; undefined if nothing, until a policy allows it.
    const whole = (this.#whole ??= principalView(this.#workbench, this.#served, this.#principal));
    const [toolbox, server] = names;
    if (whole === undefined) return nothingHere(names);
    if (toolbox === undefined) return whole;
    const found =
      server === undefined
        ? findToolbox(whole.scope, toolbox)
        : findServer(whole.scope, { toolbox, server });
    if (isWorkbenchError(found)) return found;
    if ("servers" in found && whole.server === undefined)
      return { scope: this.#workbench.scopes.select(whole.scope, [toolbox]) };
    if ("connections" in found && (whole.server ?? found) === found)
      return serverView(this.#workbench, whole.scope, found);
    // With a single server in scope there is no other endpoint.
    return nothingHere([toolbox]);
  }
}

function nothingHere(names: readonly string[]): WorkbenchError {
  return workbenchError("NOTHING_HERE", { path: ["/mcp", ...names].join("/") });
}
