import { effectLines, effectsOf } from "../../config/trust/effects.ts";
import { readUntrusted, type FoundConfig, type UntrustedConfig } from "../../config/load.ts";
import { locateConfig } from "../../config/locate.ts";
import { reasonFor, notTrustedError, trustConfig, trustOf } from "../../config/trust/trust.ts";
import { workbenchError } from "../../errors.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "./command.ts";

type ConsentContext = Pick<Context, "env" | "cwd" | "out" | "prompt">;

/** Users do not read more than this in a question that interrupts another command. */
const MAX_LINES_ASKED_ABOUT = 60;
const MAX_CHARACTERS_ASKED_ABOUT = 6000;

/**
 * Finds the configuration for a command. One in the current folder is used only if it is trusted;
 * in a terminal, the user sees what it would do and is asked.
 */
export async function findTrusted(
  context: ConsentContext,
  file: string | undefined,
): Promise<FoundConfig> {
  const { env, cwd } = context;
  const found = readUntrusted(locateConfig({ file, env, cwd }));
  if (!found.fromCurrentFolder) return found;
  const trust = trustOf(found, env);
  if (trust === "trusted") return found;
  const lines = effectLines(await effectsOf(found.file, found.text));
  const isReadable =
    lines.length <= MAX_LINES_ASKED_ABOUT && lines.join().length <= MAX_CHARACTERS_ASKED_ABOUT;
  if (!context.prompt.available || !isReadable) throw await notTrustedError(found, trust, env);
  context.out.say(`${visible(found.file)} ${reasonFor(trust)}. It would:`);
  await askForTrust(context, found, lines);
  return found;
}

/** Shows what a configuration does, asks, and remembers consent; throws if the user declines. */
export async function askForTrust(
  { env, out, prompt }: Pick<Context, "env" | "out" | "prompt">,
  found: UntrustedConfig,
  lines: readonly string[],
): Promise<void> {
  for (const line of lines) out.say(`  ${line}`);
  out.say("Programs run with your permissions, and so does everything they start.");
  if (!(await prompt.confirm("Do you trust this configuration?", false))) {
    const reason = "was declined";
    throw workbenchError("CONFIG_NOT_TRUSTED", { file: visible(found.file), reason, details: "" });
  }
  await trustConfig(found, env);
}
