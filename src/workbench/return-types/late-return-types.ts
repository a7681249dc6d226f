import type { ClientCall, ResultLearner } from "../../calls/call.ts";
import type { CallTarget, CallableTool, ToolDestination } from "../../calls/destination.ts";
import type { Principal } from "../../calls/principal.ts";
import { sentArguments } from "../../calls/request-text.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { offersScripts } from "../meta-tools/definitions.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import type { ReturnTypes } from "./return-types.ts";

/** How many results of a tool are read in one run. */
const MAX_SAMPLES = 6;
/** Larger results take too long to parse. */
const MAX_BYTES = 64 * 1024;
/** The results that wait to be parsed. */
const MAX_WAITING = 100;
const MAX_WAITING_BYTES = 1024 * 1024;
/** Calls of clients come first. */
const LEARN_AFTER_MS = 1000;

export interface TypesContext {
  readonly settings: Pick<WorkbenchSettings, "scripts" | "file">;
  readonly host: { readonly log: Logger; readonly usesCache: boolean };
}

interface Sample {
  readonly call: ClientCall;
  readonly destination: ToolDestination;
  readonly tool: CallableTool;
  readonly response: ServerResponse;
}

/**
 * What tools return, for clients that can run scripts: it keeps a few results of each tool, and learns
 * from them later. What is needed for that is loaded then, or when a client first searches for tools.
 */
export class LateReturnTypes implements ResultLearner {
  readonly done = new WeakSet<CallableTool>();
  readonly #context: TypesContext;
  readonly #taken = new WeakMap<CallableTool, number>();
  #waiting: Sample[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #loading: Promise<ReturnTypes> | undefined;

  constructor(context: TypesContext) {
    this.#context = context;
  }

  /** The types, with what can be learned from all results until now. */
  async load(): Promise<ReturnTypes> {
    this.#loading ??= this.#load();
    const types = await this.#loading;
    this.#learn(types);
    return types;
  }

  /**
   * Whether results of this principal may be learned from and shown to it. Keys can be data, so what is
   * learned stays with the user of this machine.
   */
  isTrusted({ kind }: Principal): boolean {
    return kind === "stdio" || kind === "local" || kind === "owner";
  }

  take(call: ClientCall, tool: CallableTool, response: ServerResponse): void {
    const { destination, principal, request } = call;
    if (tool.value["outputSchema"] !== undefined) {
      this.done.add(tool);
      return;
    }
    const bytes = response.bytes + request.text.length;
    if (destination?.server === undefined || destination.tool === undefined) return;
    if (response.isFailure || bytes > MAX_BYTES) return;
    if (this.#waiting.length >= MAX_WAITING || this.#waitingBytes + bytes > MAX_WAITING_BYTES)
      return;
    // A command makes one call and ends.
    if (principal.kind === "local" && this.#loading === undefined) return;
    if (!this.isTrusted(principal) || !offersScripts(this.#context.settings.scripts, principal))
      return;
    const taken = (this.#taken.get(tool) ?? 0) + 1;
    this.#taken.set(tool, taken);
    if (taken >= MAX_SAMPLES) this.done.add(tool);
    this.#waiting.push({ call, destination, tool, response });
    this.#waitingBytes += bytes;
    this.#timer ??= setTimeout(() => void this.load().catch(() => {}), LEARN_AFTER_MS).unref();
  }

  async close(): Promise<void> {
    if (this.#loading === undefined && this.#waiting.length === 0) return;
    await this.load()
      .then((types) => types.flush())
      .catch(() => undefined);
  }

  #learn(types: ReturnTypes): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waitingBytes = 0;
    for (const { call, destination, tool, response } of this.#waiting.splice(0))
      try {
        // Destinations are servers of this workbench.
        const place = destination.server as { readonly settings: ServerSettings } & CallTarget;
        const args = sentArguments(call.request, destination.argumentsAt, undefined);
        types.learn(place, tool, response.withId("0"), args);
      } catch (error) {
        this.#context.host.log.debug(`not learned from a result: ${reasonOf(error)}`);
      }
  }

  async #load(): Promise<ReturnTypes> {
    const [{ ReturnTypes }, { DiskTypes }] = await Promise.all([
      import("./return-types.ts"),
      import("./type-store.ts"),
    ]);
    const { settings, host } = this.#context;
    const identityOf = (server: ServerSettings): string => serverIdentity(server, settings.file);
    return new ReturnTypes(identityOf, host.usesCache ? new DiskTypes() : undefined);
  }
}
