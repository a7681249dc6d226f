import { readdir } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";

import { reasonOf } from "../errors.ts";
import type { Editor, KeyPath } from "../files/editor.ts";
import { isObject, valueAt } from "../text/json.ts";
import { formatOf, withFileContext } from "../files/formats.ts";
import { byName } from "../files/named-entries.ts";
import { readText } from "../files/text-file.ts";
import { type ServerEntry, canonicalEntry } from "./canonical.ts";
import { isWorkbenchEntry } from "./entry.ts";
import { type HostInfo, projectFiles, userFiles } from "./paths.ts";
import { sizeProblem } from "./project-file.ts";
import { editorOf } from "./row-editor.ts";
import { CLIENTS } from "./table.ts";
import type { ClientRow } from "./types.ts";

/** `local`: a section of the user file that applies to one project only. */
export type EntryScope = "user" | "project" | "local";

/** A server that is configured in a client. */
export interface FoundServer {
  readonly client: string;
  readonly file: string;
  readonly scope: EntryScope;
  /** The folder that a project or local server belongs to. */
  readonly project: string | undefined;
  readonly name: string;
  /** Where the entry is in its file. */
  readonly path: KeyPath;
  /** The entry in the format of our configuration; undefined if it cannot be converted. */
  readonly entry: ServerEntry | undefined;
  /** The entry in the client's own format. */
  readonly raw: unknown;
  readonly disabled: boolean;
  /** It starts the workbench itself and must never be imported. */
  readonly isWorkbench: boolean;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

export interface FoundFile {
  readonly client: string;
  readonly file: string;
  readonly scope: EntryScope;
  readonly servers: readonly FoundServer[];
  /** Why the file could not be read, with the position of the error. */
  readonly problem: string | undefined;
}

export interface Search {
  readonly host: HostInfo;
  /** The folder whose project files are read. */
  readonly project?: string | undefined;
  readonly clients?: readonly ClientRow[];
}

/** All servers configured in the clients on this machine, grouped by file. */
export async function findServers({
  host,
  project,
  clients = CLIENTS,
}: Search): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const seen = new Set<string>();
  for (const row of clients) {
    const ofUser = (await Promise.all(userFiles(row, host).map(expand))).flat();
    const inProject = project === undefined ? [] : projectFiles(row, project, host);
    const ofProject = (await Promise.all(inProject.map(expand))).flat();
    const files = [
      // A variable with a relative path means a different file in every folder.
      ...ofUser.map((file) => ({ file, scope: isAbsolute(file) ? "user" : "project" }) as const),
      ...ofProject.map((file) => ({ file, scope: "project" as const })),
    ];
    for (const { file, scope } of files) {
      // Several clients share a project's `.mcp.json`.
      if (seen.has(file)) continue;
      const read = await readClientFile(row, file, scope, project);
      if (read === undefined) continue;
      seen.add(file);
      found.push(read);
    }
  }
  return found;
}

/** The servers of one file, or undefined when there is no such file. */
export async function readClientFile(
  row: ClientRow,
  file: string,
  scope: EntryScope = "user",
  project?: string,
): Promise<FoundFile | undefined> {
  const empty = { client: row.id, file, scope, servers: [] };
  try {
    const problem = scope === "project" ? sizeProblem(file) : undefined;
    if (problem !== undefined) return { ...empty, problem };
    const text = await readText(file);
    if (text === undefined) return undefined;
    const servers = await readServers(row, text, { file, scope, project });
    return { ...empty, servers, problem: undefined };
  } catch (error) {
    return { ...empty, problem: reasonOf(error) };
  }
}

export interface FileContext {
  readonly file: string;
  readonly scope: EntryScope;
  readonly project?: string | undefined;
}

/** The servers in the text of a client's file. */
export async function readServers(
  row: ClientRow,
  text: string,
  { file, scope, project }: FileContext,
): Promise<readonly FoundServer[]> {
  const { document, key } = await parsedFile(row, file, text);
  const from = (at: KeyPath, where: EntryScope, folder: string | undefined): FoundServer[] => {
    const found = valueAt(document, at);
    const servers = Array.isArray(found) ? byName(found) : found;
    if (!isObject(servers)) return [];
    return Object.entries(servers).flatMap(([name, raw]) => {
      if (isObject(raw) && row.foreignTypes?.includes(String(raw["type"]))) return [];
      const context = { syntax: row.variables, project: folder };
      const { entry, disabled, notes, problems } = canonicalEntry(raw, context);
      const isWorkbench = entry !== undefined && isWorkbenchEntry(name, entry);
      const path = [...at, name];
      const common = { client: row.id, file, scope: where, project: folder, name, path, raw };
      return [{ ...common, entry, disabled, isWorkbench, notes, problems }];
    });
  };
  const found = from(key, scope, scope === "project" ? project : undefined);
  const section = row.localSection;
  const projects = section !== undefined && scope === "user" && valueAt(document, [section]);
  if (section === undefined || !isObject(projects)) return found;
  const local = Object.keys(projects).flatMap((folder) =>
    from([section, folder, ...key], "local", folder),
  );
  return [...found, ...local];
}

interface ParsedFile {
  readonly editor: Editor;
  readonly document: unknown;
  /** The key that holds the servers, or that will. */
  readonly key: KeyPath;
}

/** The text of a client's file, parsed; `file` is named in errors. */
export async function parsedFile(row: ClientRow, file: string, text: string): Promise<ParsedFile> {
  const editor = await editorOf(row);
  const document = withFileContext(file, () => editor.parse(text));
  const { keys } = row;
  const key = keys.find((one) => isObject(valueAt(document, one))) ?? keys.at(-1) ?? [];
  return { editor, document, key };
}

/** A row for a file of an unknown client: any of the usual keys is accepted. */
export function rowForFile(file: string): ClientRow {
  return {
    id: "file",
    label: basename(file),
    userFiles: [file],
    projectFiles: [],
    format: formatOf(file),
    keys: USUAL_KEYS,
    entry: { command: "command", env: "env", url: "url", headers: ["headers"] },
    variables: "input",
  };
}

const USUAL_KEYS = [
  ["servers"],
  ["context_servers"],
  ["mcp_servers"],
  ["mcp", "servers"],
  ["extensions"],
  ["mcp"],
  ["mcpServers"],
];

/** Expands a path with `*` for one folder, or for the names of files with one ending. */
async function expand(path: string): Promise<readonly string[]> {
  const [before, after, ...more] = path.split(/(?<=[\\/])\*/);
  if (before === undefined || after === undefined || more.length > 0) return [path];
  const names = (await readdir(before).catch(() => [])).sort();
  if (/^[\\/]/.test(after)) return names.map((name) => join(before, name, after));
  return names.filter((name) => name.endsWith(after)).map((name) => join(before, name));
}
