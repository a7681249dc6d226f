import { statSync } from "node:fs";
import { dirname } from "node:path";

import { effectLines, effectsOf } from "../../config/trust/effects.ts";
import { readUntrusted } from "../../config/load.ts";
import { locateConfig } from "../../config/locate.ts";
import { fingerprintOf, trustConfig, trustOf } from "../../config/trust/trust.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { realPathOf } from "../../files/real-path.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { askForTrust } from "../core/consent.ts";

/** `trust --config FILE`: shows what a configuration does and remembers the user's consent. */
export async function trust(context: Context): Promise<number> {
  const { args, out, prompt, env, cwd } = context;
  const named = args.text("config");
  if (named === undefined) {
    const hint = "For example: mcp-workbench trust --config ./workbench-config.json";
    throw workbenchError("USAGE", { reason: "Name the configuration to trust" }, hint);
  }
  // Show, fingerprint and remember the same bytes, even if the file changes in the meantime.
  const located = locateConfig({ file: named, env, cwd });
  const found = readUntrusted({ ...located, file: realPathOf(located.file) });
  const { file, bytes } = found;
  const effects = await effectsOf(file, found.text);
  const isKnown = trustOf(found, env) === "trusted";
  out.say(`${visible(file)}${isKnown ? " is already trusted" : ""}. It would:`);
  warnOfOthers(file, out);
  if (isKnown || args.flag("yes")) {
    for (const line of effectLines(effects)) out.say(`  ${line}`);
    if (!isKnown) await trustConfig(found, env);
  } else if (prompt.available) {
    await askForTrust(context, found, effectLines(effects));
  } else {
    for (const line of effectLines(effects)) out.say(`  ${line}`);
    const hint = "Review what it does, then add --yes";
    throw workbenchError("USAGE", { reason: "There is no terminal to ask in" }, hint);
  }
  if (!isKnown) out.say(`${out.noteStyle.green("✓")} Trusted until it changes`);
  const {
    servers,
    variables,
    envFiles,
    secretCommands,
    secretFiles,
    keychain,
    logFile = null,
  } = effects;
  const sha256 = fingerprintOf(bytes);
  out.document({
    file,
    sha256,
    trusted: true,
    changed: !isKnown,
    servers,
    variables,
    envFiles,
    secretCommands: Object.fromEntries(secretCommands),
    secretFiles,
    keychain,
    logFile,
  });
  return EXIT.ok;
}

/** Trust covers only the content: anyone who can write to the folder could replace the programs in it. */
function warnOfOthers(file: string, out: Context["out"]): void {
  if (process.getuid === undefined) return;
  const own = new Set([process.getuid(), 0]);
  for (const path of [file, dirname(file)]) {
    const { mode, uid } = statSync(path);
    if ((mode & 0o022) !== 0 || !own.has(uid))
      out.warn(`Other users of this machine can change ${visible(path)}`);
  }
}
