import type { ClientCall } from "../../calls/call.ts";
import { answered } from "../../calls/destination.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import { workbenchError } from "../../errors.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import type { ScriptText } from "../../scripts/script-text.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { offersScripts } from "../../workbench/meta-tools/definitions.ts";
import { readerOf } from "../../workbench/result-limits.ts";
import { RUN_SCRIPT_KEYS, parseRunScript, refuseInput } from "../../workbench/meta-tools/input.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { NestedCalls } from "../nested-calls.ts";
import type { ServedClient } from "../served-client.ts";
import type { MetaToolRoute } from "./tool-surface.ts";

const RUN_SCRIPT_REQUEST = shapeOf(["params"], {
  params: shapeOf(["arguments"], { arguments: RUN_SCRIPT_KEYS }),
});

const NOT_WAITING =
  "requestState: the script is no longer waiting for input. Calls that it made are not undone; without requestState it runs from the start";

/** `run_script`: runs a script that calls tools as its client would. */
export function runScript(workbench: Workbench): MetaToolRoute {
  runSavedScripts(workbench);
  return (client, { text, params: { arguments: input } }, call) => {
    if (!offersScripts(workbench.settings.scripts, client.principal)) {
      const { rpcError } = workbenchError("UNKNOWN_TOOL", { name: "run_script" });
      return answered({ kind: "refusal", error: rpcError });
    }
    return {
      answer: async (): Promise<Outcome> => {
        const inexact = inexactKey(text, RUN_SCRIPT_REQUEST)?.reason;
        if (inexact !== undefined)
          return failure(workbenchError("INVALID_PARAMETERS", { reason: inexact }));
        const parsed = parseRunScript(input);
        if (parsed === undefined) return failure(await refuseInput("run_script", input));
        const { script: source, input: given } = parsed;
        return startScript(workbench, client, call, { source, input: given });
      },
    };
  };
}

interface StartedScript extends ScriptText {
  readonly input?: JsonObject | undefined;
}

/** Runs a script for a call of a client. */
export async function startScript(
  workbench: Workbench,
  client: ServedClient,
  call: ClientCall,
  { source, saved, input = {} }: StartedScript,
): Promise<Outcome> {
  // A script that waits is continued elsewhere. Any other must not run from the start: it may have made calls.
  if (call.request.params["requestState"] !== undefined)
    return failure(workbenchError("INVALID_PARAMETERS", { reason: NOT_WAITING }));
  const { scripts: settings } = workbench.settings;
  const bytes = Buffer.byteLength(source);
  if (bytes > settings.sourceBytes) {
    const reason = `script: ${bytes} bytes, more than ${settings.sourceBytes} (setting scripts.sourceBytes)`;
    return failure(workbenchError("INVALID_PARAMETERS", { reason }));
  }
  const { results } = workbench.pipeline;
  const scripts = await workbench.pipeline.scripts.load();
  const nested = new NestedCalls(workbench, client, call);
  return scripts.run({
    source,
    saved,
    root: rootOf(call),
    owner: { principal: client.principal.id, client: client.owner },
    input: JSON.stringify(input),
    results: results.of(client),
    settings,
    reader: readerOf(call, workbench.settings),
    textLimit: results.textLimit(client),
    startCall: (path, args, onSettled) => nested.start(path, args, onSettled),
    signal: call.signal,
    onCall: (count, path) => nested.reportProgress(count, path),
    onStarted: (run) => (nested.onQuestion = (isOpen) => run.onQuestion(isOpen)),
  });
}

/** Saved scripts are tools of a server, but their calls are those of the client. */
export function runSavedScripts(workbench: Workbench): void {
  workbench.pipeline.scripts.runSaved ??= (call, { file, code, source }, input) =>
    startScript(workbench, call.caller as ServedClient, call, {
      source,
      saved: { file, code },
      input,
    });
}

/** The call of the client that led to a call. */
function rootOf(call: ClientCall): ClientCall {
  let root = call;
  while (root.parent !== undefined) root = root.parent;
  return root;
}
