import { mayPrompt } from "../../config/prompting-secrets.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import type { WorkbenchError } from "../../errors.ts";
import { lineMask } from "../../secrets/in-entry.ts";
import { redactor } from "../../secrets/redact.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { shellWords } from "../../text/shell-words.ts";
import { connectAll, explainFailure, labelOf } from "../use/connect.ts";
import { serversAt } from "../use/target.ts";
import { withDeadline, withWorkbench } from "../use/with-workbench.ts";
import type { Findings } from "./check.ts";
import { checkDefinitions } from "./definitions.ts";
import { checkFindable } from "./findable.ts";

const area = "servers";
const MAX_SCRIPT_PROBLEMS = 50;

/** Connects to all servers, a few at a time, and reports what keeps them from working. */
export async function checkServers(
  context: Context,
  settings: WorkbenchSettings,
  timeoutMs: number,
  findings: Findings,
): Promise<void> {
  await withWorkbench(context, withDeadline(settings, timeoutMs), async ({ workbench, client }) => {
    const usable = serversAt(workbench, {}).filter(
      // The check of the configuration has reported the others.
      (server) => server.settings.unavailable === undefined,
    );
    const startable = usable.filter((server) => !mayPrompt(server.settings));
    for (const server of usable)
      if (mayPrompt(server.settings))
        findings.add({
          area,
          subject: labelOf(server),
          status: "ok",
          message: `not started, because it needs secrets from the keychain or a command. To try it: mcp-workbench list ${labelOf(server)}`,
        });
    const { connected, failed } = await connectAll(client, startable, context.out);
    const tokensOf = new Map<string, number>();
    for (const { server, connection } of connected) {
      const tools = [...connection.catalogue.tools.values()];
      const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool.text), 0);
      const { toolbox } = server.settings;
      tokensOf.set(toolbox, (tokensOf.get(toolbox) ?? 0) + tokens);
      const message = `${plural(tools.length, "tool")}, ${plural(tokens, "token")}`;
      findings.add({ area, subject: labelOf(server), status: "ok", message });
      if (server.settings.transport.kind !== "scripts") continue;
      for (const problem of connection.channel.stderrTail(MAX_SCRIPT_PROBLEMS))
        findings.add({
          area,
          subject: labelOf(server),
          status: "warning",
          message: `script left out: ${problem}`,
          fix: "Correct the file, or move it out of the folder",
        });
    }
    await checkDefinitions(settings, connected, findings);
    if (connected.length > 0) await checkFindable(workbench, connected, findings);
    for (const { server, error } of failed) {
      const { reason, fix, lastOutput } = explainFailure(error);
      findings.add({
        area,
        subject: labelOf(server),
        status: "error",
        message: fix === undefined ? reason : reason.replace(`. ${fix}`, ""),
        fix: fixFor(error, server.settings, settings),
        ...(lastOutput.length > 0 && { lastOutput: lastOutput.map(lineMask(settings.secrets)) }),
      });
    }
    for (const [toolbox, tokens] of tokensOf)
      if (tokens > settings.openBudgetTokens)
        findings.add({
          area,
          subject: `toolbox ${toolbox}`,
          status: "warning",
          message: `opening it costs the agent about ${plural(tokens, "token")}`,
          fix: 'Split it by purpose, or show fewer tools with "toolFilters"',
        });
  });
}

function fixFor(
  error: WorkbenchError,
  server: ServerSettings,
  { file, secrets }: WorkbenchSettings,
): string {
  const { reason, fix } = explainFailure(error);
  const { transport, toolbox, name } = server;
  const key = `toolboxes.${toolbox}.mcpServers.${name}`;
  // Such as a variable that the server asks for and that is not passed on.
  if (error.code === "SIGN_IN_REQUIRED" && fix !== undefined) return fix;
  if (error.code === "CONNECTION_FAILED" && error.hint !== undefined)
    return `${error.hint} (${key} in ${file})`;
  if (transport.kind === "stdio") {
    if (fix !== undefined) return fix;
    if (/^folder .*ENOENT/.test(reason))
      return `Create the folder, or correct "cwd" in ${key} (${file})`;
    if (/ENOENT/.test(reason))
      return `Install '${transport.command}', or correct "command" in ${key} (${file})`;
    if (/EACCES/.test(reason)) return `chmod +x ${transport.command}`;
    if (/timeout/i.test(reason))
      return `Start it by hand to see what it is waiting for (${commandLine(server, secrets)}), or raise timeouts.connectMs in ${key}`;
    return `Start it by hand to see what is wrong: ${commandLine(server, secrets)}`;
  }
  if (transport.kind === "scripts")
    return `Create the folder, or correct "scripts" in ${key} (${file})`;
  if (error.causeCode === "answerTimeout")
    return `Check the server's logs, or raise timeouts.connectMs in ${key}`;
  if (fix === undefined) return "Try again later, or check the server's logs";
  return ABOUT_THE_ENTRY.test(fix) ? `${fix} (${key} in ${file})` : fix;
}

/** The fix belongs in the server's configuration entry. */
const ABOUT_THE_ENTRY = /\b(url|headers?|path)\b/i;

/** The command line, with secrets masked. */
function commandLine({ transport }: ServerSettings, secrets: readonly string[]): string {
  if (transport.kind !== "stdio") return "";
  const mask = lineMask(Object.values(transport.env));
  // Mask before quoting for a shell: quoting may split a secret.
  const words = [transport.command, ...transport.args].map(redactor(secrets));
  return mask(shellWords(words));
}
