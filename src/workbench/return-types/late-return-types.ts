import type { CallObserver, ClientCall } from "../../calls/call.ts";
import type { CallTarget, CallableTool } from "../../calls/destination.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { offersScripts } from "../meta-tools/definitions.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import type { ReturnTypes } from "./return-types.ts";

/** How many results of a tool are looked at in one run. */
const MAX_SAMPLES = 3;
/** Larger results take too long to parse. */
const MAX_BYTES = 64 * 1024;
/** Results that wait to be parsed. */
const MAX_WAITING = 100;

export interface TypesContext {
  readonly settings: Pick<WorkbenchSettings, "scripts" | "file">;
  readonly host: { readonly log: Logger; readonly usesCache: boolean };
}

interface Sample {
  readonly server: CallTarget;
  readonly tool: CallableTool;
  readonly response: string;
}

/**
 * What tools return, for clients that can run scripts. Loaded when a client first searches for tools;
 * from then on it also learns from results, a few of each tool, after the client has them.
 */
export class LateReturnTypes implements CallObserver {
  readonly #context: TypesContext;
  readonly #onUsed: () => void;
  readonly #seen = new WeakMap<object, number>();
  #waiting: Sample[] = [];
  #loading: Promise<ReturnTypes> | undefined;

  constructor(context: TypesContext, onUsed: () => void) {
    this.#context = context;
    this.#onUsed = onUsed;
  }

  get isUsed(): boolean {
    return this.#loading !== undefined;
  }

  load(): Promise<ReturnTypes> {
    if (this.#loading === undefined) {
      this.#loading = this.#load();
      this.#onUsed();
    }
    return this.#loading;
  }

  /**
   * Whether results of this principal may be learned from and shown to it. Keys can be data, so what is
   * learned stays with the user of this machine.
   */
  isTrusted({ kind }: Principal): boolean {
    return kind === "stdio" || kind === "local" || kind === "owner";
  }

  onStarted(): void {
    // Only the outcome counts.
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    if (outcome.kind !== "response" || call.method !== "tools/call") return outcome;
    const { destination, route, principal } = call;
    const { response } = outcome;
    if (destination?.server === undefined || destination.tool === undefined) return outcome;
    if (response.isError || response.isFailure || response.bytes > MAX_BYTES) return outcome;
    const tool = route?.catalogue.tools.get(destination.tool.name);
    if (tool === undefined || tool.value["outputSchema"] !== undefined) return outcome;
    const seen = this.#seen.get(tool.value) ?? 0;
    if (seen >= MAX_SAMPLES || this.#waiting.length >= MAX_WAITING) return outcome;
    if (!this.isTrusted(principal) || !offersScripts(this.#context.settings.scripts, principal))
      return outcome;
    this.#seen.set(tool.value, seen + 1);
    if (this.#waiting.length === 0) setImmediate(() => void this.#learn());
    this.#waiting.push({ server: destination.server, tool, response: response.withId("0") });
    return outcome;
  }

  async close(): Promise<void> {
    await this.#learn();
    const types = await this.#loading?.catch(() => undefined);
    await types?.flush();
  }

  async #learn(): Promise<void> {
    const types = await this.#loading?.catch(() => undefined);
    for (const { server, tool, response } of this.#waiting.splice(0))
      try {
        // Destinations are servers of this workbench.
        types?.learn(server as { readonly settings: ServerSettings } & CallTarget, tool, response);
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
