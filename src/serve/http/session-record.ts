import {
  type IncomingRequest,
  type JsonObject,
  isObject,
  requestText,
} from "../../wire/messages.ts";

/** What a client has changed in its session since `initialize`. */
export interface SessionState {
  readonly level?: string | undefined;
  /** The resources it is subscribed to. */
  readonly uris?: readonly string[];
  /** The toolboxes it has opened, if that changes what it sees. */
  readonly toolboxes?: readonly string[];
}

type Change = () => void;

/** Follows the requests that change a session, so that another replica can continue it. */
export class SessionRecord {
  readonly #onChanged: (state: SessionState) => void;
  readonly #keepsToolboxes: boolean;
  readonly #open = new Map<string, Change>();
  /** Called with the answers to requests that the client did not send, by request id. */
  readonly #repeats = new Map<string, (isError: boolean) => void>();
  readonly #uris: Set<string>;
  readonly #toolboxes: Set<string>;
  #level: string | undefined;

  constructor(
    onChanged: (state: SessionState) => void,
    keepsToolboxes: boolean,
    { level, uris = [], toolboxes = [] }: SessionState = {},
  ) {
    this.#onChanged = onChanged;
    this.#keepsToolboxes = keepsToolboxes;
    this.#level = level;
    this.#uris = new Set(uris);
    this.#toolboxes = new Set(toolboxes);
  }

  get state(): SessionState {
    const [uris, toolboxes] = [[...this.#uris], [...this.#toolboxes]];
    return {
      ...(this.#level !== undefined && { level: this.#level }),
      ...(uris.length > 0 && { uris }),
      ...(toolboxes.length > 0 && { toolboxes }),
    };
  }

  onRequest({ idText, method, params }: IncomingRequest): void {
    const change = this.#changeBy(method, params);
    if (change !== undefined) this.#open.set(idText, change);
  }

  onAnswer(idText: string, isError: boolean): void {
    this.#repeats.get(idText)?.(isError);
    this.#repeats.delete(idText);
    const change = this.#open.get(idText);
    if (change === undefined) return;
    this.#open.delete(idText);
    if (isError) return;
    change();
    this.#onChanged(this.state);
  }

  /**
   * Makes a new session what this one is, by the requests that the client once sent to another replica; rejects if that is
   * not possible.
   */
  async repeat(declared: JsonObject, call: (request: IncomingRequest) => void): Promise<void> {
    const send = (method: string, params: JsonObject): Promise<boolean> => {
      const id = `workbench-repeat-${crypto.randomUUID()}`;
      const idText = JSON.stringify(id);
      return new Promise((resolve) => {
        this.#repeats.set(idText, (isError) => resolve(!isError));
        call({ id, idText, method, params, text: requestText(id, method, params) });
      });
    };
    if (!(await send("initialize", declared))) throw new Error("its server does not answer");
    // What the client sees depends on these.
    const open = (toolbox: string): Promise<boolean> =>
      send("tools/call", { name: "open_toolbox", arguments: { toolbox } });
    await Promise.all(Array.from(this.#toolboxes, open));
    if (this.#level !== undefined) void send("logging/setLevel", { level: this.#level });
    for (const uri of this.#uris) void send("resources/subscribe", { uri });
  }

  #changeBy(method: string, params: JsonObject): Change | undefined {
    const { level, uri, name } = params;
    if (method === "logging/setLevel" && typeof level === "string")
      return () => (this.#level = level);
    if (method === "resources/subscribe" && typeof uri === "string")
      return () => this.#uris.add(uri);
    if (method === "resources/unsubscribe" && typeof uri === "string")
      return () => this.#uris.delete(uri);
    if (method !== "tools/call" || !this.#keepsToolboxes) return undefined;
    const toolbox = isObject(params["arguments"]) ? params["arguments"]["toolbox"] : undefined;
    if (typeof toolbox !== "string") return undefined;
    if (name === "open_toolbox") return () => this.#toolboxes.add(toolbox);
    if (name === "close_toolbox") return () => this.#toolboxes.delete(toolbox);
    return undefined;
  }
}
