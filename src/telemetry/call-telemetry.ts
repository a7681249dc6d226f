import type { CallObserver, ClientCall, ExchangeObserver } from "../calls/call.ts";
import { NumberedTable } from "../calls/numbered-table.ts";
import type { Outcome } from "../calls/outcome.ts";
import type { ServerRequest } from "../calls/server-request.ts";
import { type Ended, endedOf } from "./ended.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { CallMetrics } from "./metrics/call-metrics.ts";
import { type Operation, type OperationNames, methodName } from "./operation.ts";
import type { CallSpans, TracedCall } from "./traces/call-spans.ts";

/** A call in progress. */
interface Begun {
  readonly at: number;
  /** Whether it has been sent and has not come back. */
  isSent: boolean;
  readonly traced: TracedCall | undefined;
  /** What it was about when it came back. */
  operation?: Operation;
  /** How the response that came back last was understood, which may have taken time. */
  understood?: { readonly response: ServerResponse; readonly ended: Ended };
}

/**
 * Measures and traces calls. Two operations are seen of each: the request of the client, and the
 * request to the server, of which there may be none or several. Calls of scripts are not requests of
 * a client.
 */
export class CallTelemetry implements CallObserver, ExchangeObserver {
  readonly #metrics: CallMetrics;
  readonly #names: OperationNames;
  readonly #spans: CallSpans | undefined;
  readonly #begun = new NumberedTable<Begun>();

  /** Without `spans`, calls are measured only. */
  constructor(metrics: CallMetrics, names: OperationNames, spans: CallSpans | undefined) {
    this.#metrics = metrics;
    this.#names = names;
    this.#spans = spans;
  }

  /** `carrier` has the headers of the HTTP request that brought the call. */
  onStarted(call: ClientCall, at = performance.now(), carrier?: object): void {
    const parent = call.parent && this.#begun.get(call.parent.serial)?.traced;
    const traced = this.#spans?.begin(call, parent, carrier);
    this.#begun.set(call.serial, { at, isSent: false, traced });
    this.#metrics.inFlight++;
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    const begun = this.#begun.get(call.serial);
    if (begun === undefined) return outcome;
    this.#begun.delete(call.serial);
    this.#metrics.inFlight--;
    const ended = understand(call, begun, outcome);
    if (begun.isSent) this.#endSent(call, begun, outcome, ended);
    const operation = begun.operation ?? this.#names.forMetrics(call);
    if (call.parent === undefined)
      this.#metrics.onServed(operation, ended, performance.now() - begun.at);
    const bytesIn = Buffer.byteLength(call.request.text);
    this.#metrics.onEnded(operation, ended, bytesIn, isDenied(call, ended));
    if (begun.traced !== undefined) this.#spans?.end(call, begun.traced, outcome, ended);
    return outcome;
  }

  onSending(call: ClientCall, meta: string | undefined): string | undefined {
    const begun = this.#begun.get(call.serial);
    if (begun === undefined) return meta;
    begun.isSent = true;
    return begun.traced === undefined ? meta : this.#spans?.send(begun.traced, meta);
  }

  onReturned(call: ClientCall, outcome: Outcome): void {
    const begun = this.#begun.get(call.serial);
    if (begun?.isSent) this.#endSent(call, begun, outcome, understand(call, begun, outcome));
  }

  onAsking(question: ServerRequest, call: ClientCall): void {
    const begun = this.#begun.get(call.serial);
    const at = performance.now();
    const end = begun?.traced && this.#spans?.ask(question, begun.traced);
    const { settled } = question;
    question.settled = (answer) => {
      const { place } = question.from;
      const operation = { method: methodName(question.method), ...place };
      const errorType = end?.(answer);
      this.#metrics.onSent(operation, errorType, performance.now() - at);
      settled?.(answer);
    };
  }

  #endSent(call: ClientCall, begun: Begun, outcome: Outcome, ended: Ended): void {
    begun.isSent = false;
    const ms = performance.now() - call.startedAt;
    begun.operation = this.#names.forMetrics(call);
    this.#metrics.onSent(begun.operation, ended.errorType, ms);
    if (begun.traced !== undefined) this.#spans?.endSent(call, begun.traced, outcome, ended);
  }
}

/** A response is usually seen twice: when it comes back, and when the call ends. */
function understand(call: ClientCall, begun: Begun, outcome: Outcome): Ended {
  const response = outcome.kind === "response" ? outcome.response : undefined;
  if (response !== undefined && begun.understood?.response === response)
    return begun.understood.ended;
  const ended = endedOf(call, outcome);
  if (response !== undefined) begun.understood = { response, ended };
  return ended;
}

function isDenied({ decision }: ClientCall, { outcome }: Ended): boolean {
  return outcome === "denied" && decision?.action === "deny";
}
