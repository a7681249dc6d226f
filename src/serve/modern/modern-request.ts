import { ClientCall, progressTokenOf } from "../../calls/call.ts";
import { type Router, dispatch } from "../../calls/dispatch.ts";
import type { Principal } from "../../calls/principal.ts";
import { cancel } from "../../calls/settle.ts";
import type { ClientProfile } from "../../protocol/client-profile.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import { type ClientView, isServerView } from "../client-view.ts";
import { ModernCaller } from "./modern-caller.ts";
import { ModernReply } from "./modern-reply.ts";
import type { Parkable, PendingInput } from "./pending-input.ts";

export interface ModernRequestOptions {
  readonly workbench: Workbench;
  readonly view: ClientView;
  readonly parking: PendingInput<ModernRequest>;
  /** Set if all requests come from one client. */
  readonly client: object | undefined;
  readonly profile: ClientProfile;
  readonly principal: Principal;
  readonly owner: string | undefined;
  /** The profile is no longer used. */
  readonly release: () => void;
  readonly logLevel: string | undefined;
  readonly request: IncomingRequest;
  readonly output: ClientOutput;
  /** Nothing more will be sent about the request. */
  readonly ended: () => void;
}

/** One request of a modern client, until it has its answer or is given up. */
export class ModernRequest implements Parkable {
  readonly caller: ModernCaller;
  readonly #request: IncomingRequest;
  readonly #reply: ModernReply;
  readonly #call: ClientCall;
  readonly #release: () => void;
  #isReleased = false;

  constructor(options: ModernRequestOptions) {
    const { view, workbench, parking, profile, request, output, ended } = options;
    const isTransparent = isServerView(view);
    this.#request = request;
    this.#release = options.release;
    this.#reply = new ModernReply(
      {
        capabilities: profile.capabilities,
        isShared: profile.shared?.sharesAll === true || workbench.host.cluster !== undefined,
        isTransparent,
        park: () => parking.park(this),
        onFinished: () => this.release(),
      },
      request,
      output,
      ended,
    );
    this.caller = new ModernCaller({
      scope: view.scope,
      isTransparent,
      pipeline: workbench.pipeline.for(options.principal),
      principal: options.principal,
      owner: options.owner,
      client: options.client,
      profile,
      logLevel: options.logLevel,
      reply: this.#reply,
    });
    this.#call = new ClientCall(this.caller, request);
  }

  start(route: Router): void {
    dispatch(this.#call, route);
  }

  /** True for the request that was parked, sent again. */
  isAbout({ method, params }: IncomingRequest): boolean {
    const request = this.#request;
    const isSame = (key: string): boolean =>
      JSON.stringify(params[key]) === JSON.stringify(request.params[key]);
    return method === request.method && ["name", "uri", "arguments"].every(isSame);
  }

  /** The client returned with answers, in a new request. */
  resume(request: IncomingRequest, output: ClientOutput, ended: () => void): void {
    this.#call.progressToken = progressTokenOf(request);
    this.#reply.resume(request, output, ended);
  }

  /** The client cancelled its request. */
  cancel(reason: unknown): void {
    this.#reply.disconnect();
    this.abandon(reason);
  }

  abandon(reason: unknown = "the client did not return"): void {
    cancel(this.#call, reason);
    this.#reply.end();
  }

  /** The request needs its servers no longer. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#release();
  }
}
