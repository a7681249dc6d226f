import { RPC } from "../errors.ts";
import { type ClientProfile, clientProfile } from "../relay/client-profile.ts";
import {
  CAPABILITIES_KEY,
  INFO_KEY,
  LOG_LEVEL_KEY,
  MODERN_VERSION,
  modernVersionOf,
} from "../relay/envelope.ts";
import { type IncomingRequest, type JsonObject, errorText, isObject } from "../wire/messages.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { ClientOutput } from "./client-output.ts";
import type { View } from "./front.ts";
import { Listener } from "./listener.ts";
import { ModernExchange } from "./modern-exchange.ts";
import { Parking } from "./parking.ts";
import { type Surface, answerLater, methodNotFound } from "./surface.ts";

const MOST_PROFILES = 1000;
const MOST_LISTENERS = 1000;
/** What belongs to the legacy era only. */
const REMOVED = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/** A request under way, to be given up when its client does. */
export interface Ongoing {
  cancel(reason: unknown): void;
}

/** The clients of the modern era at one door: every request stands for itself. */
export class ModernClients {
  readonly #workbench: Workbench;
  readonly #view: View;
  readonly #surface: Surface;
  readonly #parking = new Parking<ModernExchange>();
  readonly #profiles = new Map<string, ClientProfile>();
  readonly #listeners = new Set<Listener>();

  constructor(workbench: Workbench, view: View, surface: Surface) {
    this.#workbench = workbench;
    this.#view = view;
    this.#surface = surface;
  }

  /** Takes one request; `ended` is called when nothing more will be said about it. */
  request(request: IncomingRequest, output: ClientOutput, ended: () => void): Ongoing | undefined {
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
    if (this.#parking.issued(requestState))
      return this.#resume(request, requestState, output, ended);
    if (request.method === "subscriptions/listen") return this.#listen(request, output, ended);
    const exchange = this.#exchange(request, output, ended);
    if (request.method === "server/discover")
      answerLater(exchange, request, this.#discover(exchange, request));
    else if (REMOVED.has(request.method)) methodNotFound(exchange, request);
    else this.#surface.handle(exchange, request);
    return exchange;
  }

  close(): void {
    this.#parking.close();
    for (const listener of this.#listeners) listener.end();
  }

  #exchange(request: IncomingRequest, output: ClientOutput, ended: () => void): ModernExchange {
    const meta = request.params["_meta"] as JsonObject;
    const level = meta[LOG_LEVEL_KEY];
    const client = {
      profile: this.#profileOf(meta),
      logLevel: typeof level === "string" ? level : undefined,
    };
    const { scope } = this.#view;
    return new ModernExchange(
      this.#workbench,
      scope,
      this.#parking,
      client,
      request,
      output,
      ended,
    );
  }

  #resume(
    request: IncomingRequest,
    ticket: string,
    output: ClientOutput,
    ended: () => void,
  ): Ongoing | undefined {
    const exchange = this.#parking.fetch(ticket);
    if (exchange === undefined) {
      const message = "requestState: This request is no longer waiting for input; send it anew";
      output.reply(request.idText, errorText(request.idText, { code: RPC.invalidParams, message }));
      ended();
      return undefined;
    }
    exchange.resume(request, output, ended);
    return exchange;
  }

  #listen(request: IncomingRequest, output: ClientOutput, ended: () => void): Ongoing | undefined {
    if (this.#listeners.size >= MOST_LISTENERS) {
      const message = "Too many subscriptions are open";
      output.reply(request.idText, errorText(request.idText, { code: RPC.internal, message }));
      ended();
      return undefined;
    }
    const exchange = this.#exchange(request, output, () => {});
    const listener = new Listener(this.#workbench, this.#view, exchange, request, output, () => {
      this.#listeners.delete(listener);
      ended();
    });
    this.#listeners.add(listener);
    void listener.start();
    return listener;
  }

  async #discover(exchange: ModernExchange, request: IncomingRequest): Promise<void> {
    const { serverInfo: _info, ...greeting } = await this.#surface.greeting(exchange);
    exchange.reply(request, { supportedVersions: [MODERN_VERSION], ...greeting });
  }

  /** Clients of whom the same is told are one and the same to the servers. */
  #profileOf(meta: JsonObject): ClientProfile {
    const capabilities = isObject(meta[CAPABILITIES_KEY]) ? meta[CAPABILITIES_KEY] : {};
    const info = isObject(meta[INFO_KEY]) ? meta[INFO_KEY] : { name: "unknown", version: "0" };
    const key = JSON.stringify(capabilities);
    const known = this.#profiles.get(key);
    if (known !== undefined) return known;
    const profile = clientProfile("modern", capabilities, info);
    const [oldest] = this.#profiles.keys();
    if (this.#profiles.size >= MOST_PROFILES && oldest !== undefined) this.#profiles.delete(oldest);
    this.#profiles.set(key, profile);
    return profile;
  }
}
