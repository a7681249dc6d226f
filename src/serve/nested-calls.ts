import { classOf } from "../access/policy/tool-facts.ts";
import { ClientCall } from "../calls/call.ts";
import { dispatch } from "../calls/dispatch.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import type { Outcome } from "../calls/outcome.ts";
import { cancel } from "../calls/settle.ts";
import type { SettledCall, StartedCall } from "../scripts/started-call.ts";
import type { CallAnswer } from "../scripts/worker/protocol.ts";
import { excessOf } from "../wire/json-limits.ts";
import { classifyStrict, requestMessage, resultText } from "../wire/messages.ts";
import { readPlainCall } from "../wire/plain-messages.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { NestedCaller } from "./nested-caller.ts";
import type { ServedClient } from "./served-client.ts";
import { useTool } from "./surface/use-tool.ts";

type OnSettled = (settled: SettledCall) => void;

/** The calls of tools that a call of a client makes. Each takes the path of a `use_tool` call. */
export class NestedCalls {
  readonly #parent: ClientCall;
  readonly #caller: NestedCaller;
  readonly #route: ReturnType<typeof useTool>;
  readonly #waiting = new Map<ClientCall, OnSettled>();
  /** Gets informed when the client is asked something, and when it has answered. */
  onQuestion: (isOpen: boolean) => void = () => {};
  #next = 1;

  constructor(workbench: Workbench, client: ServedClient, parent: ClientCall) {
    this.#parent = parent;
    this.#route = useTool(workbench.catalogues);
    this.#caller = new NestedCaller({
      client,
      parent,
      onSettled: (call, outcome) => this.#settle(call, outcome),
      onQuestion: (isOpen) => this.onQuestion(isOpen),
    });
  }

  /** Starts a call; `path` is `toolbox/server/tool`, `args` are JSON. */
  start(path: string, args: string, onSettled: OnSettled): StartedCall {
    const tool = toolIn(path);
    const id = this.#next++;
    const request = tool && requestFor(id, tool, args);
    if (request === undefined || typeof request === "string") {
      const message = request ?? `'${path}' is not a tool. Write "toolbox/server/tool"`;
      const answer: CallAnswer = { kind: "failure", message, code: "INVALID_PARAMETERS" };
      onSettled({ answer, isFailure: true, isRefused: true, mayHaveChanged: false });
      return NOT_STARTED;
    }
    const call = new ClientCall(this.#caller, request);
    call.parent = this.#parent;
    this.#waiting.set(call, onSettled);
    dispatch(call, () => this.#route(this.#caller, request, call));
    return {
      cancel: (reason) => cancel(call, reason),
      isSent: () => call.route !== undefined,
      mayHaveChanged: () => mayHaveChanged(call, this.#caller),
    };
  }

  /** Reports to a client that asked for progress how many calls have ended. */
  reportProgress(count: number, path: string): void {
    const { progressToken, caller } = this.#parent;
    if (progressToken === undefined) return;
    const params = { progress: count, message: path };
    caller.onProgress(this.#parent, { method: "notifications/progress", params });
  }

  #settle(call: ClientCall, outcome: Outcome): void {
    const onSettled = this.#waiting.get(call);
    this.#waiting.delete(call);
    const answer = answerOf(outcome);
    const isFailure =
      answer.kind === "failure" ||
      (outcome.kind === "response" && (outcome.response.isError || outcome.response.isFailure));
    onSettled?.({ answer, isFailure, mayHaveChanged: mayHaveChanged(call, this.#caller) });
  }
}

const NOT_STARTED: StartedCall = {
  cancel: () => {},
  isSent: () => false,
  mayHaveChanged: () => false,
};

/** The first two slashes separate; a tool may have some in its name. */
function toolIn(path: string): ToolIdentifier | undefined {
  const [, toolbox, server, name] = /^([^/]+)\/([^/]+)\/(.+)$/s.exec(path) ?? [];
  if (toolbox === undefined || server === undefined || name === undefined) return undefined;
  return { toolbox, server, name };
}

/** The request, checked like one of a client; a text if it must not be sent. */
function requestFor(
  id: number,
  tool: ToolIdentifier,
  args: string,
): ClientCall["request"] | string {
  const input = `{"tool":${JSON.stringify(tool)},"arguments":${args}}`;
  const text = requestMessage(String(id), "tools/call", `{"name":"use_tool","arguments":${input}}`);
  const plain = readPlainCall(text);
  if (plain !== undefined) return plain;
  const excess = excessOf(text);
  if (excess !== undefined) return `The arguments are too complex: ${excess}`;
  const incoming = classifyStrict(JSON.parse(text), text);
  if (incoming.kind === "request") return incoming.request;
  return incoming.kind === "invalid" ? incoming.reason : "The arguments cannot be sent";
}

function answerOf(outcome: Outcome): CallAnswer {
  switch (outcome.kind) {
    case "response":
      return { kind: "response", pieces: outcome.response.pieces("0") };
    case "result":
      return { kind: "response", pieces: [resultText("0", outcome.result)] };
    case "failure":
      return { kind: "failure", message: outcome.error.text, code: outcome.error.code };
    case "refusal":
      return { kind: "failure", message: outcome.error.message, code: outcome.error.code };
    case "cancelled":
      return { kind: "failure", message: "The call was cancelled", code: "CANCELLED" };
  }
}

/** Whether a call may have changed something: its server got it, and its tool has not the class `read`. */
function mayHaveChanged({ route, destination }: ClientCall, { scope }: ServedClient): boolean {
  if (route === undefined || destination?.server === undefined) return false;
  const { name } = destination.tool ?? {};
  const tool = name === undefined ? undefined : route.catalogue.tools.get(name);
  const { toolbox, server } = route.place;
  const settings = scope.get(toolbox)?.servers.get(server)?.settings;
  if (tool === undefined || settings === undefined) return true;
  const ownName = JSON.parse(tool.nameJson) as string;
  return classOf(ownName, tool.value, settings) !== "read";
}
