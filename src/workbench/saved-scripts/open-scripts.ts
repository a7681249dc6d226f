import type { Outcome } from "../../calls/outcome.ts";
import type { ScriptSettings } from "../../config/types.ts";
import type { Scripts } from "../../scripts/scripts.ts";
import type { Channel, ChannelEvents } from "../../servers/transport/channel.ts";
import { asText, isObject, parseJson } from "../../text/json.ts";
import { type Evaluate, SavedScripts } from "./saved-scripts.ts";
import { type RunSaved, ScriptsChannel } from "./scripts-channel.ts";

export interface ScriptsHost {
  readonly scripts: Scripts;
  readonly settings: () => ScriptSettings;
  readonly run: RunSaved;
}

/** What a script may use to describe itself. */
const DESCRIBING = { memoryMb: 16, cpuMs: 1000, totalMs: 10_000, calls: 1, outputChars: 1_000_000 };

/** Opens the saved scripts in a folder. Rejects if it cannot be read. */
export async function openScripts(
  folder: string,
  { scripts, settings, run }: ScriptsHost,
  events: ChannelEvents,
): Promise<Channel> {
  if (settings().enabled === false)
    throw new Error("scripts are turned off (setting scripts.enabled)");
  const evaluate: Evaluate = async (body) => {
    const limits = settings();
    const bytes = Buffer.byteLength(body);
    if (bytes > limits.sourceBytes)
      throw new Error(
        `it is larger than ${limits.sourceBytes} bytes (setting scripts.sourceBytes)`,
      );
    const outcome = await scripts.run({
      source: body,
      owner: { principal: "saved-scripts", client: folder },
      input: "{}",
      results: undefined,
      settings: { ...limits, ...DESCRIBING },
      startCall: (_path, _args, onSettled) => {
        const message = "tools can be called only inside of the exported function";
        const answer = { kind: "failure", message, code: "NOT_RUNNING" } as const;
        onSettled({ answer, isFailure: true, isRefused: true, mayHaveChanged: false });
        return { cancel: () => {}, mayHaveChanged: () => false, isSent: () => false };
      },
      signal: new AbortController().signal,
    });
    return valueOf(outcome);
  };
  const saved = new SavedScripts(folder, evaluate);
  return new ScriptsChannel(saved, await saved.read(), run, events);
}

/** The value that a script returned. Throws what it threw. */
function valueOf(outcome: Outcome): string {
  if (outcome.kind === "failure") throw outcome.error;
  const written = outcome.kind === "result" ? outcome.result : undefined;
  const result = typeof written === "string" ? parseJson(written) : written;
  const content: unknown = isObject(result) ? result["content"] : undefined;
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  const text = isObject(first) ? asText(first["text"]) : "";
  if (isObject(result) && result["isError"] === true) throw new Error(text);
  return text;
}
