import { RPC, type WorkbenchError, workbenchError } from "../errors.ts";
import type { Call, Caller } from "../relay/call.ts";
import type { ClientProfile } from "../relay/client-profile.ts";
import { LEGACY_VERSIONS } from "../servers/handshake.ts";
import { NAME, VERSION } from "../version.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  classify,
  errorText,
  isObject,
  notificationText,
  resultText,
} from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import { instructionsFor } from "../workbench/instructions.ts";
import type { Scope, Workbench } from "../workbench/workbench.ts";
import type { ClientOutput } from "./client-output.ts";
import { NativeTools } from "./native-tools.ts";
import { ProxyTools } from "./proxy-tools.ts";
import type { ToolSurface } from "./tool-surface.ts";

const UNKNOWN_CLIENT: ClientProfile = { key: "", capabilities: {}, info: { name: NAME, version: VERSION } };

/**
 * One client of the legacy era: what it said in `initialize`, its calls in flight, and the tools it
 * sees. Knows nothing of how messages travel.
 */
export class Session implements Caller {
  readonly workbench: Workbench;
  readonly scope: Scope;
  readonly #output: ClientOutput;
  readonly #tools: ToolSurface;
  readonly #inFlight = new Map<string, Call>();
  readonly #unlisten: () => void;
  #profile = UNKNOWN_CLIENT;
  #initialized = false;

  constructor(workbench: Workbench, scope: Scope, output: ClientOutput) {
    this.workbench = workbench;
    this.scope = scope;
    this.#output = output;
    this.#tools =
      workbench.settings.toolMode === "dynamic" ? new NativeTools(this) : new ProxyTools(this);
    this.#unlisten = workbench.listen({
      toolsChanged: (server, connection) => this.#tools.toolsChanged(server, connection),
      notified: () => {},
      requested: () => false,
    });
  }

  get profile(): ClientProfile {
    return this.#profile;
  }

  /** Takes one message of the client. */
  receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#refuse("null", RPC.parse, "Parse error: the line is not JSON");
      return;
    }
    if (Array.isArray(message)) {
      this.#refuse("null", RPC.invalidRequest, "Batches are not supported: send one message per line");
      return;
    }
    const incoming = classify(message, text);
    if (incoming.kind === "request") this.#request(incoming.request);
    else if (incoming.kind === "notification") this.#notification(incoming.notification);
    else if (incoming.kind === "invalid")
      this.#refuse(incoming.idText, RPC.invalidRequest, `Invalid request: ${incoming.reason}`);
  }

  /** The client is gone: its calls are taken back and it hears nothing any more. */
  close(): void {
    this.#unlisten();
    for (const call of this.#inFlight.values()) this.#withdraw(call, "the client disconnected");
    this.#inFlight.clear();
  }

  /** Remembers a call until it is answered, so that it can be cancelled. */
  track(call: Call): void {
    this.#inFlight.set(call.callerId, call);
  }

  reply(request: IncomingRequest, result: unknown): void {
    this.#output.message(resultText(request.idText, result));
  }

  /** Answers with a result that is JSON text already. */
  replyText(request: IncomingRequest, result: string): void {
    this.#output.message(`{"jsonrpc":"2.0","id":${request.idText},"result":${result}}`);
  }

  /** Answers a tool call with an error that the agent can read and act on. */
  toolError(idText: string, error: WorkbenchError): void {
    const content = [{ type: "text", text: error.text }];
    this.#output.message(resultText(idText, { content, isError: true }));
  }

  fail(request: IncomingRequest, error: WorkbenchError): void {
    this.#refuse(request.idText, error.rpcCode, error.text);
  }

  notify(method: string, params?: JsonObject): void {
    this.#output.message(notificationText(method, params));
  }

  answered(call: Call, response: ServerResponse): void {
    this.#inFlight.delete(call.callerId);
    this.#output.answer(call.callerId, response);
  }

  failed(call: Call, error: WorkbenchError): void {
    this.#inFlight.delete(call.callerId);
    if (call.method === "tools/call") this.toolError(call.callerId, error);
    else this.#refuse(call.callerId, error.rpcCode, error.text);
  }

  progressed(call: Call, params: JsonObject): void {
    this.notify("notifications/progress", { ...params, progressToken: call.progressToken });
  }

  #request(request: IncomingRequest): void {
    if (this.#inFlight.has(request.idText)) {
      this.#refuse(request.idText, RPC.invalidRequest, "Invalid request: this id is still in use");
      return;
    }
    if (request.method === "tools/call" && this.#initialized) {
      this.#tools.call(request);
      return;
    }
    this.#other(request);
  }

  #other(request: IncomingRequest): void {
    const { method } = request;
    if (method === "initialize") this.#initialize(request);
    else if (method === "ping") this.reply(request, {});
    else if (!this.#initialized)
      this.#refuse(request.idText, RPC.invalidRequest, `Not initialized: send initialize before ${method}`);
    else if (method === "tools/list") this.replyText(request, `{"tools":[${this.#tools.list()}]}`);
    else this.#refuse(request.idText, RPC.methodNotFound, `Method not found: ${method}`);
  }

  #initialize(request: IncomingRequest): void {
    const { protocolVersion, capabilities } = request.params;
    if (this.#initialized) {
      this.#refuse(request.idText, RPC.invalidRequest, "Already initialized");
      return;
    }
    if (typeof protocolVersion !== "string") {
      const reason = "protocolVersion: Required (expected string)";
      this.fail(request, workbenchError("INVALID_PARAMETERS", { reason }));
      return;
    }
    const told = isObject(capabilities) ? capabilities : {};
    this.#profile = { ...UNKNOWN_CLIENT, key: JSON.stringify(told), capabilities: told };
    this.#initialized = true;
    const boxes = Array.from(this.scope.values(), (toolbox) => toolbox.settings);
    this.reply(request, {
      protocolVersion: LEGACY_VERSIONS.find((known) => known === protocolVersion) ?? LEGACY_VERSIONS[0],
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: NAME, version: VERSION },
      instructions: instructionsFor(this.workbench.settings.toolMode, boxes),
    });
  }

  #notification({ method, params }: IncomingNotification): void {
    if (method !== "notifications/cancelled") return;
    const id = params["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    const idText = JSON.stringify(id);
    const call = this.#inFlight.get(idText);
    if (call === undefined) return;
    this.#inFlight.delete(idText);
    this.#withdraw(call, params["reason"]);
  }

  #withdraw(call: Call, reason: unknown): void {
    call.cancelled = true;
    call.route?.cancel(call, reason);
  }

  #refuse(idText: string, code: number, message: string): void {
    this.#output.message(errorText(idText, { code, message }));
  }
}
