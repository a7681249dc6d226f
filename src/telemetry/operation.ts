import { subjectOf } from "../audit/subject.ts";
import type { ClientCall } from "../calls/call.ts";
import { isStandardMethod } from "../wire/method-names.ts";
import { BoundedNames } from "./metrics/bounded-names.ts";

/** What a call is about, in names that are safe to store: known ones, and no more than a bounded number. */
export interface Operation {
  readonly method: string;
  readonly toolbox?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly prompt?: string | undefined;
}

/** Knows which names exist. */
export interface KnownNames {
  /** Whether a server that is not necessarily in use for the call has this tool. */
  hasTool(toolbox: string, server: string, tool: string): boolean;
  readonly redact: (text: string) => string;
}

/** The name of everything that has no name of its own. */
export const OTHER = "_other";
/** Tools that metrics tell apart. */
export const MAX_TOOLS = 500;
/** Tools that spans tell apart; what is stored for a span does not depend on its name. */
const MAX_SPAN_NAMES = 5000;
/** Tools of the workbench itself. Any other name that it answers to does not exist. */
const META_TOOLS: ReadonlySet<string> = new Set([
  "search_tools",
  "open_toolbox",
  "close_toolbox",
  "use_tool",
  "read_tool",
  "run_script",
]);

export function methodName(method: string): string {
  return isStandardMethod(method) ? method : OTHER;
}

/** Names operations. Clients and servers choose names freely, so unknown ones share one name. */
export class OperationNames {
  readonly #known: KnownNames;
  readonly #labels: BoundedNames;
  readonly #spanNames: BoundedNames;

  constructor(known: KnownNames) {
    this.#known = known;
    this.#labels = new BoundedNames(MAX_TOOLS, OTHER, known.redact);
    this.#spanNames = new BoundedNames(MAX_SPAN_NAMES, OTHER, known.redact);
  }

  /** For the labels of metrics: prompts have no label, because there may be any number of them. */
  forMetrics(call: ClientCall): Operation {
    const { prompt: _prompt, ...operation } = this.#of(call, this.#labels);
    return operation;
  }

  forSpan(call: ClientCall): Operation {
    return this.#of(call, this.#spanNames);
  }

  #of(call: ClientCall, names: BoundedNames): Operation {
    const method = methodName(call.method);
    const { destination } = call;
    if (destination?.server !== undefined) {
      const { toolbox, server } = destination.server.place;
      const name = destination.tool?.name;
      const scope = `${toolbox}/${server}`;
      const tool = name === undefined ? undefined : this.#tool(call, name, scope, names);
      const isPrompt = method === "prompts/get" && call.route !== undefined;
      return {
        method,
        toolbox,
        server,
        tool,
        prompt: isPrompt ? names.get(call.subject, scope) : undefined,
      };
    }
    if (method !== "tools/call") return { method };
    const { tool = "" } = subjectOf(call);
    return { method, tool: META_TOOLS.has(tool) ? tool : OTHER };
  }

  /** A call with a connection was sent, so its tool exists. */
  #tool(call: ClientCall, name: string, scope: string, names: BoundedNames): string {
    const { toolbox = "", server = "" } = call.destination?.server?.place ?? {};
    const isKnown = call.route !== undefined || this.#known.hasTool(toolbox, server, name);
    return isKnown ? names.get(name, scope) : OTHER;
  }
}
