import { workbenchError } from "../errors.ts";
import { isLoopback } from "../text/loopback.ts";
import { shellWords } from "../text/shell-words.ts";
import type { ServerEntry } from "./canonical.ts";
import type { ClientRow, EntryShape, TokenReference } from "./types.ts";

/** A workbench that is served over HTTP, and the variable with its token. */
export interface RemoteWorkbench {
  readonly url: string;
  readonly tokenVariable?: string | undefined;
}

/** The addresses of a workbench: all toolboxes, one of them, or one server. */
const WORKBENCH_PATH = /\/mcp(?:\/[^/]+){0,2}\/?$/;
/** The name that a URL needs to be recognised as ours: unlike a command, it does not show what it starts. */
const WORKBENCH_NAME = /^(?:mcp-)?workbench(?:[-_.].*)?$/i;

export function isWorkbenchUrl(url: string): boolean {
  return URL.canParse(url) && WORKBENCH_PATH.test(new URL(url).pathname);
}

export function isWorkbenchName(name: string): boolean {
  return WORKBENCH_NAME.test(name);
}

/** Whether an entry probably connects to a workbench: it is left where it is. */
export function reachesWorkbench(name: string, { url }: ServerEntry): boolean {
  return url !== undefined && isWorkbenchName(name) && isWorkbenchUrl(url);
}

/** The same for one on this machine, which is certain enough to change the entry. */
export function reachesLocalWorkbench(name: string, entry: ServerEntry): boolean {
  if (!reachesWorkbench(name, entry)) return false;
  return isLoopback(new URL(entry.url ?? "").hostname.replace(/^\[|\]$/g, ""));
}

/**
 * The fields of an entry for a remote workbench. Throws if the client cannot connect to a URL, or
 * would need the token itself in its file.
 */
export function remoteFields(row: ClientRow, remote: RemoteWorkbench): Record<string, unknown> {
  const { entry: shape, label } = row;
  const { url, tokenVariable: variable } = remote;
  if (shape.url === undefined)
    throw refusal(row, remote, `${label} can only start programs, not connect to a URL`);
  const fields = { [shape.url]: url, ...shape.remoteFixed };
  if (variable === undefined) return fields;
  if (shape.token === undefined) {
    const reason = `${label} cannot read a token from a variable, and a token is never written to a file`;
    throw refusal(row, remote, reason);
  }
  return { ...fields, ...tokenFields(shape, shape.token, variable) };
}

/** The value of the Authorization header that refers to the variable; undefined if there is none. */
export function authorizationOf(row: ClientRow, variable: string): string | undefined {
  const { token } = row.entry;
  if (token === undefined || "field" in token) return undefined;
  return `Bearer ${referenceTo(token.reference, variable)}`;
}

/** The fields of an entry that are about its token. */
export function tokenFieldNames({ headers, token }: EntryShape): readonly string[] {
  const [header = ""] = headers;
  if (token === undefined) return [header];
  if ("field" in token) return [header, token.field];
  return [header, ...(token.passedIn === undefined ? [] : [token.passedIn.field])];
}

function tokenFields(
  { headers }: EntryShape,
  token: TokenReference,
  variable: string,
): Record<string, unknown> {
  if ("field" in token) return { [token.field]: variable };
  const reference = referenceTo(token.reference, variable);
  const passed = token.passedIn && {
    [token.passedIn.field]: token.passedIn.as === "names" ? [variable] : { [variable]: reference },
  };
  const header: unknown = { Authorization: `Bearer ${reference}` };
  const nested = headers.reduceRight((value, key) => ({ [key]: value }), header);
  return { ...(nested as Record<string, unknown>), ...passed };
}

function referenceTo(template: string, variable: string): string {
  return template.replace("{name}", () => variable);
}

/** The alternative: a local workbench that forwards everything to the remote one. */
function refusal({ id }: ClientRow, { url, tokenVariable }: RemoteWorkbench, reason: string) {
  const header =
    tokenVariable === undefined ? [] : ["--header", `Authorization: Bearer \${${tokenVariable}}`];
  const add = shellWords(["add", "workbench", url, "--toolbox", "shared", ...header]);
  const hint = `Let it start a program that forwards to the URL:\n  mcp-workbench ${add}\n  mcp-workbench install ${id} --server shared/workbench`;
  return workbenchError("USAGE", { reason }, hint);
}
