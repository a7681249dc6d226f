/** The servers that tests put into their configurations. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundledPackage } from "./bundled-program.ts";

export interface ServerEntry {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

/** A server that is reached over HTTP. */
export interface RemoteEntry {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [option: string]: unknown;
}

/** A folder of saved scripts. */
export interface ScriptsEntry {
  readonly scripts: string;
  readonly [option: string]: unknown;
}

export type Servers = Readonly<Record<string, ServerEntry | RemoteEntry | ScriptsEntry>>;

export interface Toolbox {
  readonly description: string;
  readonly keywords?: readonly string[];
  readonly mcpServers: Servers;
}

export interface Config {
  readonly toolMode?: "proxy" | "dynamic";
  readonly toolboxes: Readonly<Record<string, Toolbox>>;
  readonly [option: string]: unknown;
}

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const FIXTURE = pathOf("../fixtures/tools-server.mjs");
const EVERYTHING = pathOf("../fixtures/everything-server.mjs");
const WRAPPER = pathOf("../fixtures/wrapper.mjs");

/** The fixture server with these options. */
export function fixture(...options: readonly string[]): ServerEntry {
  return { command: process.execPath, args: [FIXTURE, ...options] };
}

/** The fixture server behind a wrapper that does not pass signals on. */
export function wrappedFixture(...options: readonly string[]): ServerEntry {
  return { command: process.execPath, args: [WRAPPER, FIXTURE, ...options] };
}

/** The fixture with every feature of the protocol; `era` restricts it to one. */
export function everything(era?: "legacy" | "modern"): ServerEntry {
  const options = era === undefined ? [] : ["--era", era];
  return { command: process.execPath, args: [EVERYTHING, ...options] };
}

/** The same with extensions, such as `--apps`. */
export function extended(...options: readonly string[]): ServerEntry {
  return { command: process.execPath, args: [EVERYTHING, ...options] };
}

/** One of the public servers that are installed with the project. */
export function publicServer(
  name: "filesystem" | "memory" | "everything",
  ...args: readonly string[]
): ServerEntry {
  const beside = name === "everything" ? ["docs"] : [];
  const program = bundledPackage(`@modelcontextprotocol/server-${name}`, beside);
  return { command: process.execPath, args: [program, ...args] };
}

/** The same server, given more settings. */
export function withOptions(
  entry: ServerEntry,
  options: Readonly<Record<string, unknown>>,
): ServerEntry {
  return { ...entry, ...options };
}

/** A server that cannot be started because there is no such program. */
export const MISSING_COMMAND: ServerEntry = { command: "no-such-program-anywhere", args: [] };

export function toolbox(servers: Servers, description = "Tools for tests"): Toolbox {
  return { description, mcpServers: servers };
}

/** The configuration of most tests: one toolbox `dev` with these servers. */
export function dev(servers: Servers, options: Omit<Config, "toolboxes"> = {}): Config {
  return { ...options, toolboxes: { dev: toolbox(servers) } };
}

/** The fixture server's own record, independent of the workbench. */
export interface WitnessRow {
  readonly event: "start" | "message" | "signal" | "eof" | "exit";
  readonly pid: number;
  readonly at: number;
  readonly raw?: string;
  readonly signal?: string;
  readonly cwd?: string;
  readonly envKeys?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface WitnessedMessage {
  readonly raw: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export class Witness {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  rows(): WitnessRow[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as WitnessRow);
  }

  /** How often a process of this server was started. */
  get starts(): number {
    return this.rows().filter(({ event }) => event === "start").length;
  }

  messages(method?: string): WitnessedMessage[] {
    return this.rows()
      .filter((row) => row.event === "message")
      .map(({ raw = "" }) => ({ ...(JSON.parse(raw) as Omit<WitnessedMessage, "raw">), raw }))
      .filter((message) => method === undefined || message.method === method);
  }

  /** The calls of one tool that reached the server. */
  callsOf(tool: string): WitnessedMessage[] {
    return this.messages("tools/call").filter(({ params }) => params?.name === tool);
  }
}
