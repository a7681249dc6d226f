import { clientLabel } from "../../clients/table.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { wrap } from "../output/layout.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Installed } from "./install-clients.ts";
import type { Readiness } from "./readiness.ts";

/** The end of `init`: how many servers work, and one command for each of the others. */
export function showSummary(
  { working, needsUser }: Readiness,
  installed: readonly Installed[],
  { args, out }: Pick<Context, "args" | "out">,
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
  out.say(`    ${cyan(`${ownCommand({ args })} install ${ids(keeping)} --replace`)}`);
}

/** What to do after `init`. */
export function showNextStep(installed: readonly Installed[], context: Context): void {
  const { out } = context;
  const program = ownCommand(context);
  const failed = installed.filter(({ error }) => error !== undefined);
  if (failed.length === 0) {
    const isInstalled = installed.some(({ changed }) => changed);
    const before = isInstalled ? "Restart the client" : `Next: ${program} install CLIENT`;
    const text = `${before}, then check everything with: ${program} doctor`;
    out.say(`\n${wrap(text, out.noteWidth)}`);
    return;
  }
  out.say("\nFix the problem above, then continue with");
  out.say(`    ${out.noteStyle.cyan(`${program} install ${ids(failed)} --replace`)}`);
}

/** Explains how to continue if the user presses Ctrl-C between the configuration and the clients. */
export function noteHalfDone(context: Context): void {
  const install = `${ownCommand(context)} install --replace`;
  context.noteInterruption(
    `The configuration is written. Continue with\n    ${install}\nor go back with\n    mcp-workbench undo`,
  );
}

const ids = (installed: readonly Installed[]): string =>
  installed.map(({ client }) => client).join(" ");
