import type { CallableTool } from "../../calls/destination.ts";
import type { ServerSettings } from "../../config/types.ts";
import { callValue } from "../../scripts/worker/call-value.ts";
import { RETURN_CHARS, returnTypeOf } from "../../search/return-type.ts";
import { parseJson } from "../../text/json.ts";
import { memberText } from "../../wire/members.ts";
import { LearnedTypes } from "./learned-types.ts";
import type { TypeStore } from "./type-store.ts";

interface ConfiguredServer {
  readonly settings: ServerSettings;
}

/** What tools return: as their output schema says, otherwise as earlier results were. */
export class ReturnTypes {
  readonly #learned: LearnedTypes;

  constructor(identityOf: (settings: ServerSettings) => string, store: TypeStore | undefined) {
    this.#learned = new LearnedTypes(identityOf, store);
  }

  /** Reads what earlier runs have learned about these servers. */
  async load(servers: Iterable<ConfiguredServer>): Promise<void> {
    const unread = Array.from(servers).filter((server) => !this.#learned.hasRead(server));
    if (unread.length > 0) await Promise.all(unread.map((server) => this.#learned.load(server)));
  }

  /** The type; an empty string if it is not known. `showsLearned`: also what was learned. */
  typeOf(
    server: ConfiguredServer,
    tool: CallableTool,
    showsLearned: boolean,
    maxChars = RETURN_CHARS,
  ): string {
    const { outputSchema } = tool.value;
    if (outputSchema !== undefined) return returnTypeOf(outputSchema, maxChars);
    return showsLearned ? this.#learned.typeOf(server, tool, maxChars) : "";
  }

  /** Takes a result, as the JSON text of a response, and the arguments of the call as JSON. */
  learn(server: ConfiguredServer, tool: CallableTool, response: string, args: string): void {
    const result = memberText(response, "result") ?? "{}";
    // A task, or a question to the client.
    if (!["content", "structuredContent"].some((key) => memberText(result, key))) return;
    const { kind, text } = callValue(response, () => "", false);
    if (kind === "error") return;
    const parsed = parseJson(text);
    const value = parsed === undefined && kind === "text" ? text : parsed;
    this.#learned.learn(server, tool, value, args);
  }

  flush(): Promise<void> {
    return this.#learned.flush();
  }
}
