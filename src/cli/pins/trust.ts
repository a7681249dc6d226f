import { EXIT, workbenchError } from "../../errors.ts";
import type { Difference } from "../../pins/differences.ts";
import { acceptDefinitions } from "../../pins/accept-definitions.ts";
import { LOCKED_LISTS } from "../../pins/lock-file.ts";
import { shellWords } from "../../text/shell-words.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { configuration, parseToolPath } from "../use/target.ts";
import { trust as trustConfiguration } from "../setup/trust.ts";
import { compareServers } from "../../pins/compare-servers.ts";
import { type ReadServers, readServers } from "./read-servers.ts";
import { renderServer } from "./render-differences.ts";

/** `trust --config FILE`: a configuration; `trust TOOLBOX/SERVER[/TOOL]`: changed definitions. */
export async function trust(context: Context): Promise<number> {
  const [word] = context.args.words;
  return word === undefined ? trustConfiguration(context) : trustDefinitions(context, word);
}

/** Shows how a server differs from what was approved, asks, and approves exactly what was shown. */
async function trustDefinitions(context: Context, word: string): Promise<number> {
  const { args, out } = context;
  const { toolbox, server, tool } = parseToolPath(word);
  if (toolbox === undefined || server === undefined)
    throw workbenchError("USAGE", { reason: "Name a server as TOOLBOX/SERVER" });
  const settings = await configuration(context);
  const read = await readServers(context, settings, { toolbox, server });
  const [failed] = read.failed;
  if (failed !== undefined)
    throw workbenchError("CONNECTION_FAILED", { toolbox, server, reason: failed.reason });
  const key = `${toolbox}/${server}`;
  const found = compareServers(read).flatMap(({ differences }) => differences);
  const concerned = found.filter((one) => tool === undefined || isItem(one, tool));
  const shown = out.json ? [] : concerned;
  if (shown.length > 0) out.print(renderServer({ key, differences: shown }, out.style));
  if (concerned.length > 0) await confirm(context, word, concerned);
  else if (tool !== undefined && !isKnown(read, key, tool))
    throw workbenchError("TOOL_NOT_FOUND", { toolbox, server, name: tool });
  const changed = concerned.length > 0 && (await acceptDefinitions(read, key, tool));
  out.document({ server: key, tool: tool ?? null, changed, differences: concerned });
  const { green } = out.noteStyle;
  out.say(
    changed
      ? `${green("✓")} Accepted; running workbenches use it at once`
      : `Nothing to accept: ${visible(word)} is as approved`,
  );
  if (args.flag("yes") && concerned.some(({ severity }) => severity === "severe"))
    out.warn("Severe changes were accepted without a question");
  return EXIT.ok;
}

async function confirm(
  { args, out, prompt }: Context,
  word: string,
  differences: readonly Difference[],
): Promise<void> {
  if (args.flag("yes")) return;
  if (!prompt.available) {
    const hint = `Review it with 'mcp-workbench diff', then: mcp-workbench trust ${shellWords([word])} --yes`;
    throw workbenchError("USAGE", { reason: "There is no terminal to ask in" }, hint);
  }
  const severe = differences.filter(({ severity }) => severity === "severe").length;
  if (severe > 0) out.warn(`${severe} of these changes may be an attack`);
  if (!(await prompt.confirm("Do you accept these changes?", false)))
    throw workbenchError("USAGE", { reason: "Nothing was accepted" });
}

function isItem({ what, name }: Difference, tool: string): boolean {
  return name === tool && (LOCKED_LISTS as readonly string[]).includes(what);
}

function isKnown({ observed }: ReadServers, key: string, name: string): boolean {
  const items = observed.get(key)?.items;
  return items !== undefined && LOCKED_LISTS.some((list) => items[list].has(name));
}
