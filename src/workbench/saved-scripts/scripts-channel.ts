import { type Call, type ClientCall, isClientCall } from "../../calls/call.ts";
import { type Outcome, failure, refusal } from "../../calls/outcome.ts";
import { RPC, reasonOf, workbenchError } from "../../errors.ts";
import { SOURCE_KEY } from "../../servers/script-source.ts";
import type { Channel, ChannelEvents } from "../../servers/transport/channel.ts";
import { Line } from "../../wire/lines.ts";
import {
  type IncomingRequest,
  type JsonObject,
  classify,
  errorText,
  isObject,
  notificationText,
  resultText,
} from "../../wire/messages.ts";
import { misfitOf } from "../meta-tools/misfit-note.ts";
import { NAME, VERSION } from "../../version.ts";
import type { SavedScript } from "./script-definition.ts";

/** Runs a saved script for a call of a client. */
export type RunSaved = (
  call: ClientCall,
  script: SavedScript,
  input: JsonObject,
) => Promise<Outcome>;

/** The scripts of a folder, kept up to date. */
export interface ScriptSource {
  /** The scripts, and why others are left out. */
  read(): Promise<LoadedScripts>;
  /** Calls back when they may have changed, or the folder is gone; returns how to stop that. */
  watch(onChange: () => void, onLost: () => void): () => void;
}

export interface LoadedScripts {
  readonly scripts: ReadonlyMap<string, SavedScript>;
  readonly problems: readonly string[];
}

export interface ScriptsChannelOptions {
  readonly run: RunSaved;
  /** Gets why a script is left out. */
  readonly onProblem: (problem: string) => void;
  readonly events: ChannelEvents;
}

const PROTOCOL_VERSION = "2025-11-25";
/** A script may call saved scripts, but not without end. */
const MAX_DEPTH = 8;
const JUST_CHANGED = "the file of the script has just changed. Try again";

/** A folder of scripts as a server: it speaks MCP, but inside of the workbench. */
export class ScriptsChannel implements Channel {
  readonly refusesUnknown = true;
  readonly pid = undefined;
  readonly backlog = 0;
  readonly #source: ScriptSource;
  readonly #run: RunSaved;
  readonly #onProblem: (problem: string) => void;
  readonly #events: ChannelEvents;
  #loaded: LoadedScripts;
  /** As they were before the last change. */
  #before: LoadedScripts;
  #listed = "";
  #stopWatching: () => void;
  #isClosed = false;
  #isReading = false;
  #mayHaveChanged = false;

  constructor(
    source: ScriptSource,
    loaded: LoadedScripts,
    { run, onProblem, events }: ScriptsChannelOptions,
  ) {
    this.#source = source;
    this.#run = run;
    this.#onProblem = onProblem;
    this.#events = events;
    this.#loaded = loaded;
    this.#before = loaded;
    for (const problem of loaded.problems) onProblem(problem);
    this.#stopWatching = source.watch(
      () => void this.#reload(),
      () => this.#lose("its folder cannot be watched any longer"),
    );
    // Something may have changed before it was watched.
    void this.#reload();
  }

  send(message: string, call?: Call): void {
    const incoming = classify(JSON.parse(message), message);
    if (incoming.kind !== "request") return;
    void this.#answer(incoming.request, call).then((text) => {
      if (!this.#isClosed) this.#events.onLine(Line.of(text), call);
    });
  }

  abandon(): boolean {
    // The script ends with the signal of its call.
    return true;
  }

  onNegotiated(): void {
    // There is nothing to remember.
  }

  reasonUnusable(): undefined {
    return undefined;
  }

  stderrTail(count: number): string[] {
    return this.#loaded.problems.slice(-count);
  }

  sourceOf(tool: string): string | undefined {
    return this.#loaded.scripts.get(tool)?.source;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    return Promise.resolve();
  }

  async #answer({ method, params, idText }: IncomingRequest, call?: Call): Promise<string> {
    switch (method) {
      case "initialize":
        return resultText(idText, {
          protocolVersion: PROTOCOL_VERSION,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: `${NAME} scripts`, version: VERSION },
        });
      case "tools/list":
        this.#listed = this.#list();
        return resultText(idText, this.#listed);
      case "tools/call":
        return outcomeText(idText, await this.#call(params, call).catch(failure));
      case "ping":
        return resultText(idText, {});
      default:
        return errorText(idText, { code: RPC.methodNotFound, message: "Method not found" });
    }
  }

  async #call({ name, arguments: input = {} }: JsonObject, call?: Call): Promise<Outcome> {
    if (typeof name !== "string" || !isObject(input) || call === undefined || !isClientCall(call))
      return refusal(RPC.invalidParams, `Unknown tool: ${String(name)}`);
    const script = this.#listedScript(name, call);
    if (script === undefined)
      return failure(workbenchError("INVALID_PARAMETERS", { reason: JUST_CHANGED }));
    const misfit = misfitOf(script.definition, input);
    if (misfit !== undefined)
      return failure(workbenchError("INVALID_PARAMETERS", { reason: misfit.note }));
    if (depthOf(call) > MAX_DEPTH)
      return failure(
        workbenchError("INVALID_PARAMETERS", {
          reason: `scripts call each other more than ${MAX_DEPTH} levels deep`,
        }),
      );
    return this.#run(call, script, input);
  }

  /** The script as it was listed, and so reviewed, for this call; its file may have changed since. */
  #listedScript(name: string, call: ClientCall): SavedScript | undefined {
    const { destination, route } = call;
    const listed = destination?.server === undefined ? undefined : destination.tool?.name;
    const tool = route?.catalogue.tools.get(listed ?? "");
    return [this.#loaded, this.#before]
      .flatMap(({ scripts }) => scripts.get(name) ?? [])
      .find(({ definition }) => definition[SOURCE_KEY] === tool?.version);
  }

  #list(): string {
    return listOf(this.#loaded);
  }

  /** One at a time: a script that takes long to evaluate must not replace what its file contains by then. */
  async #reload(): Promise<void> {
    this.#mayHaveChanged = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#mayHaveChanged && !this.#isClosed) {
      this.#mayHaveChanged = false;
      await this.#readAgain();
    }
    this.#isReading = false;
  }

  async #readAgain(): Promise<void> {
    const before = this.#loaded;
    try {
      this.#loaded = await this.#source.read();
    } catch (error) {
      this.#lose(reasonOf(error));
      return;
    }
    if (this.#list() !== listOf(before)) this.#before = before;
    for (const problem of this.#loaded.problems)
      if (!before.problems.includes(problem)) this.#onProblem(problem);
    const hasChanged = this.#listed !== "" && this.#list() !== this.#listed;
    if (this.#isClosed || !hasChanged) return;
    this.#events.onLine(Line.of(notificationText("notifications/tools/list_changed")));
  }

  #lose(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopWatching();
    this.#events.onLost(reason, "scriptsGone");
  }
}

function listOf({ scripts }: LoadedScripts): string {
  return JSON.stringify({ tools: Array.from(scripts.values(), ({ definition }) => definition) });
}

/** How many calls led to this one. */
function depthOf(call: ClientCall): number {
  let depth = 0;
  for (let { parent } = call; parent !== undefined; { parent } = parent) depth++;
  return depth;
}

function outcomeText(idText: string, outcome: Outcome): string {
  switch (outcome.kind) {
    case "result":
      return resultText(idText, outcome.result);
    case "response":
      return outcome.response.withId(idText);
    case "failure":
      return resultText(idText, {
        content: [{ type: "text", text: outcome.error.text }],
        isError: true,
      });
    case "refusal":
      return errorText(idText, outcome.error);
    case "cancelled":
      return errorText(idText, { code: RPC.internal, message: "The call was cancelled" });
  }
}
