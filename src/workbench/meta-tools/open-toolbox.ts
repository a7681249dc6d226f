import type { NeededSignIn } from "../../calls/sign-in-error.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import { READ_MARK } from "../../text/read-mark.ts";
import type { ServerState } from "../../servers/server-state.ts";
import type { FailedServer } from "../../toolboxes/open.ts";
import { withMembers } from "../../wire/members.ts";
import type { ToolLine } from "./tool-lines.ts";

/** A toolbox and its servers, as far as an answer needs them. */
export interface ShownToolbox {
  readonly name: string;
  readonly settings: { readonly description: string };
}

export interface ShownServers {
  readonly connected: readonly {
    readonly server: { readonly name: string };
    /** Whether a tool only reads, if that is shown. */
    readonly isReader?: ((tool: ListedTool) => boolean) | undefined;
    /** Takes a definition; undefined if it is shown as it is. */
    readonly shownText?: ((definition: string) => string) | undefined;
    /** What a tool returns, if that is shown. */
    readonly returnType?: ((tool: ListedTool) => string) | undefined;
    readonly connection: {
      readonly catalogue: SeenTools<ListedTool>;
      readonly hello: { readonly instructions: string | undefined };
    };
  }[];
  readonly failed: readonly FailedServer[];
  /** Those of the failed servers whose tools are shown: calling one asks the user to sign in. */
  readonly known?: ShownServers["connected"];
  /** The servers that will be ready later. */
  readonly starting?: readonly {
    readonly server: { readonly name: string; readonly state: ServerState };
  }[];
}

/** How much `open_toolbox` returns for each tool. */
export type OpenDetail = "full" | "signatures" | "names";

export interface OpenAnswer {
  readonly detail?: OpenDetail | undefined;
  /** Larger answers begin with a hint about shorter ones. */
  readonly budgetTokens: number;
}

/** The error if none of the toolbox's servers could be reached; `needed` would change that. */
export function unreachable(
  toolbox: ShownToolbox,
  { connected, failed, known = [], starting = [] }: ShownServers,
  needed?: NeededSignIn,
): WorkbenchError | undefined {
  const usable = connected.length + known.length + starting.length;
  if (usable > 0 || failed.length === 0) return undefined;
  const reason = failed.map((failure) => `${failure.server}: ${failure.reason}`).join("; ");
  return workbenchError(
    "TOOLBOX_UNREACHABLE",
    { toolbox: toolbox.name, reason },
    undefined,
    needed,
  );
}

/** The answer of `open_toolbox`, as compact JSON. */
export async function openToolboxText(
  toolbox: ShownToolbox,
  opened: ShownServers,
  { detail = "full", budgetTokens }: OpenAnswer,
): Promise<string> {
  if (detail === "names") return namesText(toolbox, opened);
  if (detail === "signatures") return signaturesText(toolbox, opened, await lineWriter());
  const full = fullText(toolbox, opened);
  // No text has more tokens than characters, so most texts need no estimate.
  if (full.length <= budgetTokens || estimateTokens(full) <= budgetTokens) return full;
  const hint = await lessHint(toolbox, opened, full, budgetTokens);
  return fullText(toolbox, opened, hint);
}

/** Each tool exactly as its server wrote it, with `toolbox` and `server` added. */
export function fullText(toolbox: ShownToolbox, opened: ShownServers, hint?: string): string {
  const tools = shown(opened).flatMap(({ server, connection, isReader, shownText }) =>
    Array.from(connection.catalogue.tools.values(), (tool) => {
      const written = withOrigin(tool, toolbox.name, server.name);
      const text = shownText?.(written) ?? written;
      return isReader?.(tool) ? withMembers(text, { class: READ }) : text;
    }),
  );
  return answer(toolbox, opened, { hint, tools: `[${tools.join(",")}]`, instructions: true });
}

/** One line for each tool, by server: `name(parameters) -> result — purpose`. */
export function signaturesText(
  toolbox: ShownToolbox,
  opened: ShownServers,
  lineOf: ToolLine,
): string {
  const tools = byServer(opened, (tool, isReader, type) => lineOf(tool.value, isReader, type));
  return answer(toolbox, opened, { hint: SCHEMA_HINT, tools, instructions: true });
}

/** Only the names, by server; those of tools that only read are marked. */
export function namesText(toolbox: ShownToolbox, opened: ShownServers): string {
  const tools = byServer(opened, ({ name }, isReader) => (isReader ? name + READ_MARK : name));
  return answer(toolbox, opened, { hint: SCHEMA_HINT, tools, instructions: false });
}

/** As JSON: the class that tools which only read are marked with. */
const READ = '"read"';

const SCHEMA_HINT =
  'For a schema, call search_tools with the tool name as query, limit 1 and detail "schema"';

async function lineWriter(): Promise<ToolLine> {
  return (await import("./tool-lines.ts")).toolLine;
}

/** First in the answer, because clients cut long answers at the end. */
async function lessHint(
  toolbox: ShownToolbox,
  opened: ShownServers,
  full: string,
  budgetTokens: number,
): Promise<string> {
  const about = (text: string): string => `about ${estimateTokens(text)} tokens`;
  const signatures = signaturesText(toolbox, opened, await lineWriter());
  const names = namesText(toolbox, opened);
  return `This answer has ${about(full)}, more than the budget of ${budgetTokens}. For less, use open_toolbox with detail "signatures" (${about(signatures)}) or "names" (${about(names)}), or search_tools`;
}

/** The instructions of the servers, by server name; undefined if there are none. */
export function instructionsOf(
  connected: ShownServers["connected"],
): Readonly<Record<string, string>> | undefined {
  const entries = connected.flatMap(({ server, connection: { hello } }) =>
    hello.instructions ? [[server.name, hello.instructions] as const] : [],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

interface Parts {
  readonly hint: string | undefined;
  /** As JSON. */
  readonly tools: string;
  readonly instructions: boolean;
}

/** The servers that are still starting, and what to do about it; nothing if there are none. */
export function startingPart({ starting = [] }: ShownServers): object {
  if (starting.length === 0) return {};
  const servers = starting.map(({ server: { name, state } }) => ({
    server: name,
    reason: state === "downloading" ? "it is being downloaded" : "it has not answered yet",
  }));
  return { servers_starting: servers, retry: RETRY };
}

const RETRY = "To get the tools of servers_starting, open this toolbox again in about 20 s";

function answer(toolbox: ShownToolbox, opened: ShownServers, parts: Parts): string {
  const { connected, failed } = opened;
  const head = JSON.stringify({
    toolbox: toolbox.name,
    description: toolbox.settings.description,
    servers_connected: connected.length,
    // Before the tools, because clients cut long answers at the end.
    ...startingPart(opened),
    hint: parts.hint,
  });
  const rest = JSON.stringify({
    ...(failed.length > 0 && { servers_failed: failed }),
    ...(parts.instructions && { instructions: instructionsOf(shown(opened)) }),
  });
  const tail = rest === "{}" ? "}" : `,${rest.slice(1)}`;
  return `${head.slice(0, -1)},"tools":${parts.tools}${tail}`;
}

/** The servers whose tools are listed. */
function shown({ connected, known = [] }: ShownServers): ShownServers["connected"] {
  return [...connected, ...known];
}

function byServer(
  opened: ShownServers,
  show: (tool: ListedTool, isReader: boolean, returnType: string | undefined) => string,
): string {
  return JSON.stringify(
    Object.fromEntries(
      shown(opened).map(({ server, connection, isReader, returnType }) => [
        server.name,
        Array.from(connection.catalogue.tools.values(), (tool) =>
          show(tool, isReader?.(tool) ?? false, returnType?.(tool)),
        ),
      ]),
    ),
  );
}

/** The definition as its server wrote it, with its toolbox and server, for a model. */
export function withOrigin(tool: ListedTool, toolbox: string, server: string): string {
  const left = tool.isEnforced ? [...ORIGIN, ...NOT_APPROVED] : ORIGIN;
  const removed = left.filter((key) => key in tool.value);
  const text =
    removed.length === 0
      ? tool.text
      : withMembers(tool.text, Object.fromEntries(removed.map((key) => [key, undefined])));
  const origin = `"toolbox":${JSON.stringify(toolbox)},"server":${JSON.stringify(server)}}`;
  return `${text.trimEnd().slice(0, -1)},${origin}`;
}

const ORIGIN = ["toolbox", "server"];
/** What a lock file does not pin. */
const NOT_APPROVED = ["_meta", "icons"];
