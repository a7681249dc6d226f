import { nameProblem } from "../../config/check/names.ts";
import { workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import type { ConfigText } from "./config-edit.ts";

type Toolboxes = ConfigText["toolboxes"];

/** A server of the configuration, or a whole toolbox. */
export interface ConfigEntry {
  readonly toolbox: string;
  readonly server: string | undefined;
}

/** The server that `[TOOLBOX/]SERVER` names; without a slash, the toolbox may be given separately. */
export function findServerEntry(
  word: string,
  toolboxes: Toolboxes,
  named?: string,
): Required<ConfigEntry> & { readonly server: string } {
  const slash = word.indexOf("/");
  const server = word.slice(slash + 1);
  const toolbox = named ?? (slash === -1 ? undefined : word.slice(0, slash));
  if (toolbox !== undefined) {
    const servers = toolboxes.get(existingToolbox(toolbox, toolboxes)) ?? new Set();
    if (servers.has(server)) return { toolbox, server };
    throw workbenchError("SERVER_NOT_FOUND", { toolbox, server }, choices(server, servers));
  }
  const homes = homesOf(server, toolboxes);
  const [only, ...others] = homes;
  if (only !== undefined && others.length === 0) return { toolbox: only, server };
  if (only === undefined) {
    const own = [...(toolboxes.get(server) ?? [])].map((name) => `${server}/${name}`);
    if (own.length > 0)
      throw workbenchError(
        "USAGE",
        { reason: `'${server}' is a toolbox, not a server` },
        `Its servers are ${own.join(", ")}`,
      );
    const all = new Set([...toolboxes.values()].flatMap((servers) => [...servers]));
    const reason = `No toolbox has a server '${server}'`;
    throw workbenchError("USAGE", { reason }, choices(server, all));
  }
  const hint = `Choose one: ${homes.map((home) => `${home}/${server}`).join(" or ")}`;
  throw workbenchError("USAGE", { reason: `Several toolboxes have a server '${server}'` }, hint);
}

/** The server or the toolbox that a word names. */
export function findEntry(word: string, toolboxes: Toolboxes): ConfigEntry {
  if (word.includes("/") || !toolboxes.has(word)) return findServerEntry(word, toolboxes);
  const [home] = homesOf(word, toolboxes);
  if (home === undefined) return { toolbox: word, server: undefined };
  const reason = `'${word}' is a toolbox and also a server`;
  const hint = `Write ${home}/${word} for the server, or --toolbox ${word} for the toolbox`;
  throw workbenchError("USAGE", { reason }, hint);
}

export function existingToolbox(toolbox: string, toolboxes: Toolboxes): string {
  if (toolboxes.has(toolbox)) return toolbox;
  throw workbenchError("TOOLBOX_NOT_FOUND", { toolbox }, choices(toolbox, toolboxes.keys()));
}

/** Refuses a name that a toolbox or server may not have. */
export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw workbenchError("USAGE", { reason: `'${name}' cannot be used: ${problem}` });
}

/** Refuses a name that another server of the toolbox has. */
export function checkFree(toolbox: string, server: string, toolboxes: Toolboxes): void {
  if (toolboxes.get(toolbox)?.has(server) !== true) return;
  const hint = "Rename one of them with 'mcp-workbench rename'";
  throw workbenchError("SERVER_EXISTS", { toolbox, server }, hint);
}

/** The label `toolbox/server`, or the name of the toolbox. */
export function entryLabel({ toolbox, server }: ConfigEntry): string {
  return server === undefined ? toolbox : `${toolbox}/${server}`;
}

function homesOf(server: string, toolboxes: Toolboxes): readonly string[] {
  return [...toolboxes].filter(([, servers]) => servers.has(server)).map(([name]) => name);
}
