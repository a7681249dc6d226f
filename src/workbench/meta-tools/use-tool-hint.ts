import type { ToolIdentifier } from "../../calls/identifier.ts";
import { isWorkbenchError } from "../../errors.ts";
import type { Catalogues } from "../catalogue/catalogues.ts";
import { findServer, toolboxesWith } from "../find.ts";
import { type Scope, enabledServersIn } from "../scopes.ts";
import { type GivenCall, givenCall } from "./given-call.ts";

/**
 * The hint for a malformed call of `use_tool`: the call that was probably meant, ready to be copied.
 * It is only suggested, never made.
 */

/** Reads the tools of servers that are known. */
export type KnownTools = Pick<Catalogues, "recall">;

/** Longer arguments would cost the agent more than they help. */
const MAX_ARGUMENTS_CHARS = 2000;
const MAX_SUGGESTED = 5;

const FORM =
  'Call use_tool with {"tool":{"toolbox":"TOOLBOX","server":"SERVER","name":"TOOL"},"arguments":{}}. search_tools finds the names';

export async function useToolHint(
  inputText: string,
  scope: Scope,
  known: KnownTools,
): Promise<string> {
  const given = givenCall(inputText);
  const calls = given && (await meantTools(given, scope, known));
  const [first, ...others] = calls ?? [];
  if (given === undefined || first === undefined) return FORM;
  const found = findServer(scope, first);
  const problem = isWorkbenchError(found) ? `. ${found.text}` : "";
  const rest = others.slice(0, MAX_SUGGESTED).map((tool) => JSON.stringify(tool));
  const choice = rest.length === 0 ? "" : `, or with another tool: ${rest.join(" or ")}`;
  return `Call use_tool with ${callText(first, given.args)}${choice}${problem}`;
}

function callText(tool: ToolIdentifier, args: string): string {
  const { toolbox, server, name } = tool;
  const shown = args.length > MAX_ARGUMENTS_CHARS ? "{…}" : args;
  return `{"tool":${JSON.stringify({ toolbox, server, name })},"arguments":${shown}}`;
}

/** The tools that may be meant, the most likely first. */
async function meantTools(
  { toolbox, server, name }: GivenCall,
  scope: Scope,
  known: KnownTools,
): Promise<readonly ToolIdentifier[]> {
  if (name === undefined) return [];
  if (server === undefined) {
    const dotted = dottedPath(name, scope);
    return dotted === undefined ? toolsNamed(name, toolbox, scope, known) : [dotted];
  }
  const places = toolboxesWith(scope, server);
  if (toolbox !== undefined && (places.length === 0 || places.includes(toolbox)))
    return [{ toolbox, server, name }];
  return places.map((place) => ({ toolbox: place, server, name }));
}

/** `toolbox.server.name`; names may contain dots, so the toolbox and the server must exist. */
function dottedPath(path: string, scope: Scope): ToolIdentifier | undefined {
  const [toolbox = "", server = "", ...name] = path.split(".");
  const exists = name.length > 0 && scope.get(toolbox)?.servers.has(server) === true;
  return exists ? { toolbox, server, name: name.join(".") } : undefined;
}

/** The tools of this name, in one toolbox or in all. */
async function toolsNamed(
  name: string,
  toolbox: string | undefined,
  scope: Scope,
  known: KnownTools,
): Promise<readonly ToolIdentifier[]> {
  const servers = enabledServersIn(scope).filter(
    ({ settings }) => toolbox === undefined || settings.toolbox === toolbox,
  );
  const found = await Promise.all(
    servers.map(async (server) => {
      const { catalogue } = (await known.recall(server)) ?? {};
      const has = catalogue?.tools.has(name) === true;
      return has ? [{ toolbox: server.settings.toolbox, server: server.name, name }] : [];
    }),
  );
  return found.flat();
}
