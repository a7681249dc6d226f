import type { ServerRef } from "../calls/identifier.ts";
import type { OnElicitation } from "../embed/local-client.ts";
import { asText, type JsonObject } from "../text/json.ts";
import type { ToolQuestion } from "./contract.ts";
import { webLink } from "./web-link.ts";

/** No user answers more at the same time. */
const MAX_OPEN = 20;
/** A longer message or schema could not be read, and would slow the page down. */
const MAX_CHARS = 100_000;

interface OpenQuestion {
  /** The text with which a page finds the questions of its call. */
  readonly call: string;
  readonly shown: ToolQuestion;
  /** Sends the server a result, given as JSON. */
  readonly answer: (result: string) => void;
}

/** What servers ask during calls of the dashboard. A question that cannot be shown is answered with `cancel`. */
export class Questions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Asks the page that made the call; undefined if it shows no questions. */
  forCall(call: string | undefined, { toolbox, server }: ServerRef): OnElicitation | undefined {
    if (call === undefined) return undefined;
    return (params, signal) => this.#ask(call, { toolbox, server }, params, signal);
  }

  list(call: string): readonly ToolQuestion[] {
    return Array.from(this.#open.values())
      .filter((one) => one.call === call)
      .map(({ shown }) => shown);
  }

  /** The question, if the server still waits for an answer. */
  find(call: string, id: string): Omit<OpenQuestion, "call"> | undefined {
    const found = this.#open.get(id);
    return found?.call === call ? found : undefined;
  }

  #ask(call: string, place: ServerRef, params: JsonObject, signal: AbortSignal): Promise<string> {
    const shown = shownQuestion(place, params);
    if (shown === undefined || this.#open.size >= MAX_OPEN)
      return Promise.resolve(`{"action":"cancel"}`);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        if (this.#open.delete(shown.id)) this.#onChange();
      };
      const answer = (result: string): void => {
        end();
        resolve(result);
      };
      signal.addEventListener("abort", () => {
        end();
        reject(new Error("the answer is no longer needed"));
      });
      this.#open.set(shown.id, { call, shown, answer });
      this.#onChange();
    });
  }
}

function shownQuestion(place: ServerRef, params: JsonObject): ToolQuestion | undefined {
  const { mode, url, requestedSchema = {} } = params;
  const link = mode === "url" ? webLink(url) : null;
  if (link === undefined || JSON.stringify(params).length > MAX_CHARS) return undefined;
  // The page names the server in its own way.
  const prefix = `[${place.toolbox}/${place.server}] `;
  const text = asText(params["message"]);
  const message = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  const schema = link === null ? requestedSchema : null;
  return { id: crypto.randomUUID(), ...place, message, schema, link };
}
