import type { ServerRequest } from "../../calls/server-request.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { memberText, withMembers } from "../../wire/members.ts";
import { methodName } from "../operation.ts";
import { contextIn, metaWith } from "./meta-context.ts";
import { SPAN_KIND } from "./span.ts";
import { traceparentOf } from "./trace-context.ts";
import type { SpanParent, Tracer } from "./tracer.ts";

export interface QuestionSpansOptions {
  readonly tracer: Tracer;
  readonly propagates: boolean;
}

/** The spans of what servers ask clients while they work on calls. */
export class QuestionSpans {
  readonly #options: QuestionSpansOptions;

  constructor(options: QuestionSpansOptions) {
    this.#options = options;
  }

  /**
   * Starts the span of a question and puts its context into the parameters. The returned function ends
   * it, and returns the type of the error.
   */
  ask(question: ServerRequest, call: SpanParent): (answer?: string) => string | undefined {
    const { tracer, propagates } = this.#options;
    const { request, from } = question;
    const method = methodName(question.method);
    const given = propagates ? contextIn(request.params["_meta"]) : undefined;
    const parent = given === undefined ? call : { ...given.parent, traceState: given.traceState };
    const span = tracer.start(SPAN_KIND.client, parent);
    const meta = memberText(question.params, "_meta");
    // `_meta` that is not an object is left to the client.
    if (propagates && (meta === undefined || meta.startsWith("{")))
      question.params = withMembers(question.params, {
        _meta: metaWith(meta, {
          traceparent: traceparentOf(span),
          ...(given === undefined && { tracestate: call.traceState }),
        }),
      });
    return (answer) => {
      const error = errorIn(answer);
      tracer.end(span, () => ({
        name: method,
        attributes: {
          "mcp.method.name": method,
          "mcp_workbench.toolbox": from.place.toolbox,
          "mcp_workbench.server": from.place.server,
          "rpc.response.status_code": answer === undefined ? undefined : error,
          "error.type": error,
        },
        errorMessage: error === undefined ? undefined : "",
      }));
      return error;
    };
  }
}

/** The type of the error; a question without an answer was cancelled. */
function errorIn(answer: string | undefined): string | undefined {
  if (answer === undefined) return "cancelled";
  const written = memberText(answer, "error");
  const error = written === undefined ? undefined : parseJson(written);
  if (error === undefined) return undefined;
  return isObject(error) && typeof error["code"] === "number" ? String(error["code"]) : "_OTHER";
}
