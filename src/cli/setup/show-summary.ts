import { clientLabel } from "../../clients/table.ts";
import { wrap } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Installed } from "./install-clients.ts";
import type { Readiness } from "./readiness.ts";

/** The end of `init`: how many servers work, and one command for each of the others. */
export function showSummary(
  { working, needsUser }: Readiness,
  installed: readonly Installed[],
  out: Output,
): void {
  const { bold, green, yellow, cyan } = out.noteStyle;
  if (working.length + needsUser.length === 0) return;
  out.say("");
  if (needsUser.length === 0) {
    const all = working.length === 1 ? "The server works" : `All ${working.length} servers work`;
    out.say(green(bold(`${all}.`)));
    return;
  }
  const works = `${working.length} ${working.length === 1 ? "works" : "work"}`;
  const needs = `${needsUser.length} ${needsUser.length === 1 ? "needs" : "need"} you:`;
  out.say(`${green(bold(works))}, ${yellow(bold(needs))}`);
  for (const { toolbox, server, reason, command } of needsUser) {
    out.say(wrap(`${bold(`${toolbox}/${server}`)}: ${safeLine(reason)}`, out.noteWidth, "  "));
    // Not wrapped, so that it can be copied.
    out.say(`    ${cyan(command)}`);
  }
  const keeping = installed.filter(({ kept = [] }) => kept.length > 0);
  if (keeping.length === 0) return;
  const labels = keeping.map(({ client }) => clientLabel(client)).join(", ");
  const stays = `Their entries stay in ${labels}. Once they work, remove them there with`;
  out.say(wrap(stays, out.noteWidth));
  out.say(`    ${cyan(`mcp-workbench install ${ids(keeping)} --replace`)}`);
}

// --- internal ---

const ids = (installed: readonly Installed[]): string =>
  installed.map(({ client }) => client).join(" ");
