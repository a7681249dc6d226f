import { secretInstructions } from "../../clients/move-secrets.ts";
import type { HostInfo } from "../../clients/paths.ts";
import type { ProposedToolbox, Skipped } from "../../clients/propose.ts";
import type { FoundFile, FoundServer } from "../../clients/read.ts";
import { maskEntry } from "../../secrets/in-entry.ts";
import { clientLabel } from "../../clients/table.ts";
import { truncate } from "../../text/truncate.ts";
import { columns, plural, wrap } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import type { Draft } from "./draft.ts";
import { shortPath } from "../core/host-info.ts";
import type { SecretsPlan } from "./keep-secrets.ts";
import type { Trial } from "./trial.ts";

/** Shows what was found, what the current configuration keeps, and the proposed toolboxes. */
export function showProposal(
  files: readonly FoundFile[],
  draft: Draft,
  {
    host,
    out,
    kept,
  }: { readonly host: HostInfo; readonly out: Output; readonly kept?: string | undefined },
): void {
  const { bold } = out.noteStyle;
  const found = files.flatMap(({ servers }) => servers).length;
  const withServers = files.filter(({ servers }) => servers.length > 0).length;
  if (found > 0)
    out.say(bold(`Found ${plural(found, "server")} in ${plural(withServers, "file")}\n`));
  showFound(files, host, out);
  showSkipped(draft.skipped, out);
  if (kept !== undefined) out.say(`\n${wrap(kept, out.noteWidth)}.`);
  if (draft.toolboxes.length === 0) {
    if (kept !== undefined) return;
    out.say("No servers to import were found: a starter configuration will be written.");
    return;
  }
  out.say(`\n${bold("Proposed toolboxes")}`);
  showToolboxes(draft.toolboxes, out);
}

/** Shows the files and their servers, with secrets masked. */
export function showFound(files: readonly FoundFile[], host: HostInfo, out: Output): void {
  const { bold, dim, cyan } = out.noteStyle;
  for (const { client, file, servers, problem } of files) {
    if (servers.length === 0 && problem === undefined) continue;
    out.say(`${bold(clientLabel(client))}  ${dim(shortPath(file, host))}`);
    if (problem !== undefined) out.warn(`skipped: ${safeLine(problem)}`);
    const whereOf = ({ scope, project = "" }: FoundServer): string =>
      scope === "local" ? `in ${shortPath(project, host)}` : "";
    const widest = Math.max(0, ...servers.map((one) => `${one.name}  ${whereOf(one)}`.length));
    const rows = servers.map((server) => [
      cyan(safeLine(server.name)),
      dim(whereOf(server)),
      commandOf(server, out.noteWidth - widest - 4),
    ]);
    if (rows.length > 0) out.say(columns(rows, "  "));
  }
}

export function showSkipped(skipped: readonly Skipped[], out: Output): void {
  for (const { server, reason } of skipped)
    out.say(
      out.noteStyle.dim(
        `  skipped: ${safeLine(server.name)} (${server.client}), ${safeLine(reason)}`,
      ),
    );
}

/** Shows the proposed toolboxes and their servers. */
export function showToolboxes(toolboxes: readonly ProposedToolbox[], out: Output): void {
  const { bold, cyan, dim } = out.noteStyle;
  for (const { name, description, servers } of toolboxes) {
    const shown: [string, string] = [bold(name), dim(safeLine(description))];
    out.say(columns([shown], "", out.noteWidth));
    const rows = servers.map((server) => [
      cyan(server.name),
      dim(`from ${[...new Set(server.from.map(({ client }) => client))].join(", ")}`),
    ]);
    out.say(columns(rows, "  ", out.noteWidth));
    for (const { from, name: server } of servers)
      for (const remark of new Set(from.flatMap(({ notes, problems }) => [...notes, ...problems])))
        out.warn(`${server}: ${safeLine(remark)}`);
  }
}

/** Shows the token cost of the tools at start, without and with the workbench. */
export function showTokens({ servers, counted, before, after }: Trial, out: Output): void {
  const tools = [...servers.values()].reduce((sum, server) => sum + server.tools, 0);
  if (tools === 0) return;
  const { bold, green } = out.noteStyle;
  const saved = Math.max(0, Math.round(100 * (1 - after / before)));
  out.say("");
  out.say(
    columns([
      ["Without the workbench", bold(plural(tools, "tool")), bold(plural(before, "token"))],
      ["With the workbench, at start", "", green(plural(after, "token"))],
    ]),
  );
  if (after < before) out.say(`That is ${saved} % less before the first question.`);
  if (counted < servers.size) out.say(`${counted} of ${servers.size} servers counted.`);
}

/** Says where the secrets are now, or how to set them. */
export function showSecrets(plan: SecretsPlan, out: Output): void {
  const { moved, where, needsUser, isDryRun } = plan;
  if (moved.length === 0) return;
  if (needsUser) out.say(`\n${safeText(secretInstructions(moved).trimEnd())}`);
  else {
    out.say(
      `\n${plural(moved.length, "secret")} ${isDryRun ? "would move" : "moved"} to ${where}:`,
    );
    out.say(
      columns(
        moved.map(({ variable, uses }) => [variable, uses.join(", ")].map(safeLine)),
        "  ",
        out.noteWidth,
      ),
    );
  }
}

function commandOf({ entry, problems }: FoundServer, width: number): string {
  if (entry === undefined) return safeLine(problems.join("; "));
  const { command, args = [], env = {}, url, headers = {} } = maskEntry(entry);
  const words = url === undefined ? [command ?? "", ...args] : [url];
  const settings = [...Object.entries(env), ...Object.entries(headers)].map(
    ([key, value]) => `${key}=${value}`,
  );
  return truncate(safeLine([...words, ...settings].join(" ")), Math.max(30, width));
}
