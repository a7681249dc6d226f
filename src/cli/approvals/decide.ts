import { shownArguments } from "../../access/approvals/shown-arguments.ts";
import { Policy } from "../../access/policy/policy.ts";
import { STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { sentArguments } from "../../calls/request-text.ts";
import { ENTRY_NAME } from "../../clients/entry.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { redactor } from "../../secrets/redact.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { knownCatalogue } from "./known-catalogue.ts";
import { type HookAnswer, hookAnswer } from "./hook-answer.ts";
import { type HookedCall, readHookedCall } from "./hook-call.ts";
import { readInput } from "../core/read-input.ts";

const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/**
 * `decide --hook claude-code`: answers a hook of a client. Without an answer the client decides as
 * usual, so every problem ends without output; any other exit code than 0 could block the call.
 */
export async function decide(context: Context): Promise<number> {
  const { args, out } = context;
  if (args.text("hook") !== "claude-code")
    throw workbenchError("USAGE", { reason: "--hook requires the name of a client: claude-code" });
  if (process.stdin.isTTY)
    throw workbenchError("USAGE", { reason: "decide reads the input of a hook, not a terminal" });
  const answer = await answerFor(context).catch(() => undefined);
  if (answer === undefined) return EXIT.ok;
  out.document(answer);
  out.printRaw(`${JSON.stringify(answer)}\n`);
  return EXIT.ok;
}

async function answerFor(context: Context): Promise<HookAnswer | undefined> {
  const { args } = context;
  const text = await readInput(process.stdin, MAX_INPUT_BYTES);
  const call =
    text === undefined ? undefined : readHookedCall(text, args.text("name") ?? ENTRY_NAME);
  if (call === undefined) return undefined;
  return answerTo(call, await loadSettings(context, args.text("config")));
}

async function answerTo(
  call: HookedCall,
  settings: WorkbenchSettings,
): Promise<HookAnswer | undefined> {
  const { tool, request } = call;
  const server = settings.toolboxes.get(tool.toolbox)?.servers.get(tool.server);
  const policy = new Policy(settings).of(tool);
  if (policy === undefined || server?.disabled !== false) return undefined;
  if (policy.hides(STDIO_PRINCIPAL) || policy.allowsAll(STDIO_PRINCIPAL)) return undefined;
  const catalogue = await knownCatalogue(settings, server);
  const listed = catalogue?.tools.get(tool.name);
  const verdict = catalogue && policy.verdict(catalogue, tool.name, STDIO_PRINCIPAL);
  // For the client, a hidden tool does not exist; an answer would reveal it.
  if (listed === undefined || verdict === undefined || verdict.isHidden) return undefined;
  const sent = sentArguments(request, "params.arguments.arguments", listed.pinned);
  const shown = shownArguments(sent, redactor(settings.secrets));
  return hookAnswer(call, verdict.decide(sent), shown);
}
