import type { ClientCall } from "../../calls/call.ts";
import { type Destination, answered } from "../../calls/destination.ts";
import { type Outcome, refusal, result } from "../../calls/outcome.ts";
import { RPC } from "../../errors.ts";
import {
  LOG_LEVEL_KEY,
  MODERN_VERSION,
  NO_ENVELOPE,
  SERVER_INFO_KEY,
  modernVersionOf,
} from "../../protocol/envelope.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  errorText,
  forwardedText,
  isObject,
  notificationText,
} from "../../wire/messages.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientOutput } from "../client-output.ts";
import type { ClientView } from "../client-view.ts";
import { Listener } from "./listener.ts";
import { maySend } from "../passed-messages.ts";
import { ModernRequest } from "./modern-request.ts";
import { type ModernClientOptions, ModernProfiles } from "./profiles.ts";
import { PendingInput } from "./pending-input.ts";
import { type Surface, methodNotFound } from "../surface/surface.ts";

const MAX_LISTENERS = 1000;
/** Methods that exist only in the legacy era. */
const REMOVED = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** Notifications for the workbench, about requests of its client, or of the legacy era. */
const OWN_NOTIFICATIONS = new Set([
  "notifications/cancelled",
  "notifications/progress",
  "notifications/initialized",
  "notifications/roots/list_changed",
]);

/** A request in flight, to be ended when its client cancels it. */
export interface Cancellable {
  cancel(reason: unknown): void;
}

/** The modern clients of one endpoint and principal: every request is independent. */
export class ModernClients {
  readonly #workbench: Workbench;
  readonly #view: ClientView;
  readonly #surface: () => Surface;
  readonly #principal: ClientCall["principal"];
  readonly #owner: string | undefined;
  /** Set if all requests come from one client, as over stdio. */
  readonly #one: object | undefined;
  readonly #pendingInput: PendingInput<ModernRequest>;
  readonly #profiles: ModernProfiles;
  readonly #listeners = new Set<Listener>();

  constructor(
    workbench: Workbench,
    view: ClientView,
    surface: () => Surface,
    principal: ClientCall["principal"],
    { owner, shared }: ModernClientOptions = {},
  ) {
    const one = principal.kind === "stdio";
    this.#workbench = workbench;
    this.#view = view;
    this.#surface = surface;
    this.#principal = principal;
    const { instance, cluster } = workbench.host;
    this.#pendingInput = new PendingInput(instance, cluster, principal);
    this.#one = one ? this : undefined;
    this.#owner = owner;
    this.#profiles = new ModernProfiles(one, shared);
  }

  /** Handles one request; `ended` is called when nothing more will be sent about it. */
  request(
    request: IncomingRequest,
    output: ClientOutput,
    ended: () => void,
  ): Cancellable | undefined {
    const version = modernVersionOf(request.params);
    if (version !== MODERN_VERSION) {
      const data = { supported: [MODERN_VERSION], requested: version };
      const message = `Unsupported protocol version: ${version}`;
      const error = { code: RPC.unsupportedVersion, message, data };
      output.reply(request.idText, errorText(request.idText, error));
      ended();
      return undefined;
    }
    const { requestState } = request.params;
    if (this.#pendingInput.issued(requestState))
      return this.#resume(request, requestState, output, ended);
    const modern = this.#create(request, output, ended);
    modern.start((call) => this.#route(modern, call, output));
    return modern;
  }

  #route(
    modern: ModernRequest,
    call: ClientCall,
    output: ClientOutput,
  ): Destination | Promise<Destination> {
    const { request } = call;
    const { method } = request;
    if (method === "subscriptions/listen")
      return { answer: () => this.#listen(modern, call, output) };
    if (method === "server/discover") return { answer: () => this.#discover(modern) };
    if (REMOVED.has(method)) return answered(methodNotFound(method));
    return this.#surface().route(modern.caller, call);
  }

  /** A notification of the only client: forwarded to the server in a transparent view. */
  notification(notification: IncomingNotification): void {
    const { method, params } = notification;
    const { server } = this.#view;
    if (OWN_NOTIFICATIONS.has(method) || !this.#surface().forwards(method)) return;
    const pipeline = this.#workbench.pipeline.for(this.#principal);
    const viewer = { principal: this.#principal, pipeline };
    if (server === undefined || !maySend(viewer, server, method)) return;
    for (const connection of server.connections.values()) {
      const { _meta: meta, ...rest } = params;
      const plain = isObject(meta) ? { ...meta, ...NO_ENVELOPE } : undefined;
      if (connection.hello.era === "legacy" && plain)
        connection.send(notificationText(method, { ...rest, _meta: plain }));
      else connection.send(forwardedText(notification));
    }
  }

  /** Whether a client has to return with input. */
  get isAsked(): boolean {
    return this.#pendingInput.size > 0;
  }

  close(): void {
    this.#pendingInput.close();
    this.endListeners();
  }

  /** Ends all subscription streams; clients may open them again. */
  endListeners(): void {
    for (const listener of this.#listeners) listener.end();
  }

  #create(request: IncomingRequest, output: ClientOutput, ended: () => void): ModernRequest {
    const meta = request.params["_meta"] as JsonObject;
    const level = meta[LOG_LEVEL_KEY];
    const { profile, release } = this.#profiles.take(meta);
    return new ModernRequest({
      workbench: this.#workbench,
      view: this.#view,
      parking: this.#pendingInput,
      client: this.#one,
      profile,
      principal: this.#principal,
      owner: this.#owner,
      release,
      logLevel: typeof level === "string" ? level : undefined,
      request,
      output,
      ended,
    });
  }

  #resume(
    request: IncomingRequest,
    resumeToken: string,
    output: ClientOutput,
    ended: () => void,
  ): Cancellable | undefined {
    const modern = this.#pendingInput.fetch(resumeToken, (parked) => parked.isAbout(request));
    if (modern === undefined) {
      const message = "requestState: This request is no longer waiting for input; send it again";
      output.reply(request.idText, errorText(request.idText, { code: RPC.invalidParams, message }));
      ended();
      return undefined;
    }
    modern.resume(request, output, ended);
    return modern;
  }

  async #listen(
    modern: ModernRequest,
    { request, signal }: ClientCall,
    output: ClientOutput,
  ): Promise<Outcome> {
    if (this.#listeners.size >= MAX_LISTENERS)
      return refusal(RPC.internal, "Too many subscriptions are open");
    const listener = new Listener(this.#workbench, request, output);
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => listener.end(), { once: true });
    try {
      await listener.start(this.#view, modern.caller);
      // While it listens, the client keeps no server from ending.
      modern.release();
      return await listener.outcome();
    } finally {
      this.#listeners.delete(listener);
    }
  }

  async #discover(modern: ModernRequest): Promise<Outcome> {
    const { serverInfo, ...hello } = await this.#surface().hello(modern.caller);
    const given = isObject(hello["_meta"]) ? hello["_meta"] : {};
    const meta = { ...given, [SERVER_INFO_KEY]: serverInfo };
    return result({ supportedVersions: [MODERN_VERSION], ...hello, _meta: meta });
  }
}
