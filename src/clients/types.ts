import type { KeyPath } from "../files/editor.ts";
import type { Format } from "../files/formats.ts";

/**
 * One MCP client, as data: where it keeps its configuration, under which key and with which field
 * names. Nothing in this folder knows a client by name; what is special about one is a column here.
 */
export interface ClientRow {
  readonly id: string;
  readonly label: string;
  /** Files of the user, the current location first; see `paths.ts` for the templates. */
  readonly userFiles: readonly string[] | PerSystem;
  /** Replaces all user files if the variable in it is set. */
  readonly override?: string;
  /** Files in a project's folder. */
  readonly projectFiles: readonly string[];
  /** Files or folders that exist where the client is installed; else the folder of the user file. */
  readonly markers?: readonly string[];
  readonly format: Format;
  /** The possible keys of the servers. The first one that a file has is used; the last one is created. */
  readonly keys: readonly KeyPath[];
  /** The key of the user file with servers for single projects, by folder. */
  readonly localSection?: string;
  readonly entry: EntryShape;
  /** Makes the client load our tools at start instead of on demand. */
  readonly keepLoaded?: Readonly<Record<string, unknown>>;
  readonly variables: VariableSyntax;
  /** The client's own program, used to add our entry where it is on the PATH. */
  readonly program?: ClientProgram;
  /** Kinds of entries that are not MCP servers, by their `type`. */
  readonly foreignTypes?: readonly string[];
}

export interface PerSystem {
  readonly darwin: readonly string[];
  readonly win32: readonly string[];
  readonly linux: readonly string[];
}

/** The field names of a server entry. */
export interface EntryShape {
  readonly command: string;
  /** The command and its arguments are one list. */
  readonly commandList?: true;
  readonly env: string;
  /** The field of a remote server's address; undefined when the client starts programs only. */
  readonly url: string | undefined;
  readonly headers: string;
  /** The value of `type` for a program and for a remote server; undefined: no such field. */
  readonly programType?: string;
  readonly remoteType?: string;
  /** Fields that the client requires. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** The entry repeats its own name in `name`. */
  readonly named?: true;
}

/**
 * How a configuration refers to variables of the environment: not at all, `${VAR}`, `${env:VAR}`,
 * `${env:VAR}` with `${input:id}` for what the client asks its user, `$VAR` as well as `${VAR}`,
 * `{env:VAR}`.
 */
export type VariableSyntax = "none" | "braces" | "env" | "input" | "dollar" | "curly";

/**
 * Arguments of the client's own program; `{name}`, `{command}` and `{json}` (the whole entry) are
 * filled in, `{args}` expands to all arguments.
 */
export interface ClientProgram {
  readonly binary: string;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}
