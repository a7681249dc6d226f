import type { SessionNames } from "../../audit/session-names.ts";
import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { redactStart } from "../../secrets/redact-start.ts";
import { truncate } from "../../text/truncate.ts";
import { type Ended, errorMessageOf } from "../ended.ts";
import type { OperationNames } from "../operation.ts";
import { type GivenContext, contextIn, metaWith } from "./meta-context.ts";
import { QuestionSpans } from "./question-spans.ts";
import { SPAN_KIND, type Span } from "./span.ts";
import {
  clientAttributes,
  operationAttributes,
  serverAttributes,
  spanName,
} from "./span-attributes.ts";
import { traceparentOf } from "./trace-context.ts";
import type { SpanParent, SpanResult, Tracer } from "./tracer.ts";

export interface CallSpansOptions {
  readonly tracer: Tracer;
  readonly names: OperationNames;
  readonly sessions: SessionNames;
  /** Whether messages carry trace context. */
  readonly propagates: boolean;
  readonly redact: (text: string) => string;
}

/** A call and its spans. */
export interface TracedCall {
  /** The operation of the client; undefined for a call of a script, which is no such operation. */
  readonly served: Span | undefined;
  /** The context of the spans that it causes. */
  readonly parent: SpanParent;
  /** What is sent along although the message does not have it: that of a script, or of the HTTP request. */
  readonly inherited: Pick<GivenContext, "traceState" | "baggage"> | undefined;
  /** What the client sent along with a valid context. */
  readonly given: GivenContext | undefined;
  /** The request to the server, while it has not come back. */
  sent: Span | undefined;
  /** Whether it was ever sent. */
  wasSent: boolean;
}

const MAX_MESSAGE_CHARS = 200;

/** The spans of calls: towards the client, towards the server, and of what servers ask. */
export class CallSpans {
  readonly #options: CallSpansOptions;
  readonly #questions: QuestionSpans;

  constructor(options: CallSpansOptions) {
    this.#options = options;
    this.#questions = new QuestionSpans(options);
  }

  /**
   * `caller` is the call of the script that makes this one; `carrier` has the headers of the HTTP request
   * that brought it. The context in the message counts, because a connection may bring several.
   */
  begin(call: ClientCall, caller: TracedCall | undefined, carrier?: object): TracedCall {
    const { tracer, propagates } = this.#options;
    // A plain call has no `_meta`.
    const { plain } = call.request;
    const meta = propagates && plain === undefined ? call.request.params["_meta"] : undefined;
    const given = contextIn(meta);
    const ambient = propagates ? contextIn(carrier) : undefined;
    const { parent: remote, traceState } = given ?? ambient ?? {};
    const parent = caller === undefined ? remote && { ...remote, traceState } : parentIn(caller);
    const link = given === undefined ? undefined : ambient?.parent;
    // Of a call of a script, only what is sent is an operation.
    const served = caller === undefined ? tracer.start(SPAN_KIND.server, parent, link) : undefined;
    const own = served ?? parent;
    if (own === undefined) throw new Error("a span has neither a parent nor is it a root");
    call.traceId = own.traceId;
    const inherited = caller ? (caller.inherited ?? caller.given) : given ? undefined : ambient;
    return { served, parent: own, inherited, given, sent: undefined, wasSent: false };
  }

  /** Starts the span of a request to a server, and returns its `_meta`. */
  send(traced: TracedCall, meta: string | undefined): string | undefined {
    traced.sent = this.#options.tracer.start(SPAN_KIND.client, traced.parent);
    traced.wasSent = true;
    if (!this.#options.propagates) return meta;
    const { inherited, given } = traced;
    return metaWith(meta, {
      traceparent: traceparentOf(traced.sent),
      // What belongs to a trace that cannot be continued must not be combined with another one.
      ...(given === undefined && { tracestate: inherited?.traceState }),
      ...(inherited?.baggage !== undefined && { baggage: inherited.baggage }),
    });
  }

  endSent(call: ClientCall, traced: TracedCall, outcome: Outcome, ended: Ended): void {
    const { sent } = traced;
    traced.sent = undefined;
    if (sent === undefined) return;
    this.#options.tracer.end(sent, () =>
      this.#result(call, outcome, ended, serverAttributes(call)),
    );
  }

  /** A call of a script that was never sent is still worth a span: it was refused. */
  end(call: ClientCall, traced: TracedCall, outcome: Outcome, ended: Ended): void {
    const { tracer, sessions } = this.#options;
    const span =
      traced.served ??
      (traced.wasSent ? undefined : tracer.start(SPAN_KIND.internal, traced.parent));
    if (span === undefined) return;
    tracer.end(span, () =>
      this.#result(call, outcome, ended, clientAttributes(call, sessions.of(call))),
    );
  }

  /** Starts the span of a question to the client; the returned function ends it. */
  ask(question: ServerRequest, traced: TracedCall): (answer?: string) => string | undefined {
    return this.#questions.ask(question, parentIn(traced));
  }

  #result(
    call: ClientCall,
    outcome: Outcome,
    ended: Ended,
    more: SpanResult["attributes"],
  ): SpanResult {
    const operation = this.#options.names.forSpan(call);
    const hasFailed = ended.errorType !== undefined;
    return {
      name: spanName(operation),
      attributes: { ...operationAttributes(operation, ended), ...more },
      errorMessage: hasFailed ? this.#shown(errorMessageOf(outcome)) : undefined,
    };
  }

  #shown(message: string): string {
    return truncate(redactStart(this.#options.redact, message), MAX_MESSAGE_CHARS);
  }
}

/** What happens now is caused by the request to the server, if there is one. */
function parentIn({ sent, parent }: TracedCall): SpanParent {
  return sent ?? parent;
}
