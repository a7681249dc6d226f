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
  /** The servers are a list of entries with a `name`, not an object by name. */
  readonly isList?: true;
  /** The key of the user file with servers for single projects, by folder. */
  readonly localSection?: string;
  readonly entry: EntryShape;
  /** Makes the client load our tools at start instead of on demand. */
  readonly keepLoaded?: KeepLoaded;
  readonly variables: VariableSyntax;
  /** The client's own program, used to add our entry where it is on the PATH. */
  readonly program?: ClientProgram;
  /** A program on the PATH that shows that the client is installed, for clients without `program`. */
  readonly binary?: string;
  readonly newFile?: NewFile;
  /** The file with its hooks, if one can ask the workbench before a call, and what replaces its path. */
  readonly hooks?: { readonly file: string; readonly override: string };
  /** Kinds of entries that are not MCP servers, by their `type`. */
  readonly foreignTypes?: readonly string[];
}

/** Fields of an entry, with their source and the date on which it was read. */
export interface KeepLoaded {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly source: string;
  readonly date: string;
}

export interface PerSystem {
  readonly darwin: readonly string[];
  readonly win32: readonly string[];
  readonly linux: readonly string[];
}

/** The user file to create if there is none. */
export interface NewFile {
  /** By default the first of the user files. */
  readonly path?: string;
  /** If this exists, the first of the user files is created instead. */
  readonly unless?: string;
  /** Fields that the client requires in a file, besides the servers. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** The field names of a server entry. */
export interface EntryShape {
  readonly command: string;
  /** The command and its arguments are one list. */
  readonly commandList?: true;
  readonly env: string;
  /** The field of a remote server's address; undefined when the client starts programs only. */
  readonly url: string | undefined;
  readonly headers: KeyPath;
  /** How a remote entry gets its token; undefined when the client cannot read it from a variable. */
  readonly token?: TokenReference;
  /** The value of `type` for a program and for a remote server; undefined: no such field. */
  readonly programType?: string;
  readonly remoteType?: string;
  /** Fields that the client requires, in every entry and in those of remote servers. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly remoteFixed?: Readonly<Record<string, unknown>>;
  /** The entry repeats its own name in `name`. */
  readonly named?: true;
}

/** How an entry names the variable with its token, so that the token itself is never in the file. */
export type TokenReference =
  /** In the Authorization header: a reference to `{name}`, and a field that has to list the variable. */
  | { readonly reference: string; readonly passedIn?: PassedIn }
  /** In a field of its own. */
  | { readonly field: string };

/** The field is a list of names, or an object with a reference for each name. */
export interface PassedIn {
  readonly field: string;
  readonly as: "names" | "references";
}

/**
 * How a configuration refers to variables of the environment: not at all, `${VAR}`, `${env:VAR}`,
 * `${env:VAR}` with `${input:id}` for what the client asks its user, `$VAR` as well as `${VAR}`,
 * `{env:VAR}`, `${{ secrets.VAR }}`.
 */
export type VariableSyntax = "none" | "braces" | "env" | "input" | "dollar" | "curly" | "secrets";

/**
 * Arguments of the client's own program; `{name}`, `{command}`, `{url}`, `{variable}` (which holds the
 * token), `{authorization}` (the header that refers to it) and `{json}` (the whole entry) are filled
 * in, `{args}` expands to all arguments.
 */
export interface ClientProgram {
  readonly binary: string;
  readonly add: readonly string[];
  /** The same for a remote server, and what is appended if it needs a token. */
  readonly addUrl: readonly string[];
  readonly addToken: readonly string[];
  readonly remove: readonly string[];
}
