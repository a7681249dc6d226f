/** The configuration as the rest of the program sees it: expanded, validated, defaults applied. */

export type ToolMode = "proxy" | "dynamic";
export type Protocol = "auto" | "2025-11-25" | "2026-07-28";
export type Isolation = "shared" | "session";
/** When a server may ask the client for elicitation or sampling. */
export type Questions = "duringCalls" | "always" | "off";

export interface Timeouts {
  readonly connectMs: number;
  readonly callMs: number;
  readonly totalMs: number;
  readonly idleMs: number;
  readonly shutdownMs: number;
}

export interface Limits {
  readonly messageBytes: number;
  readonly concurrency: number;
  readonly queue: number;
  readonly tools: number;
  readonly pages: number;
}

export interface StdioTransport {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file with more variables, read when the server is started. */
  readonly envFile?: string | undefined;
  readonly cwd: string | undefined;
}

export interface RemoteTransport {
  /** `http` is Streamable HTTP, `sse` is HTTP+SSE; `auto` tries Streamable HTTP first. */
  readonly kind: "http" | "sse" | "auto";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ToolOverride {
  readonly name?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  /** Fixed arguments that the agent neither sees nor can change. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export interface ServerSettings {
  readonly toolbox: string;
  readonly name: string;
  readonly transport: StdioTransport | RemoteTransport;
  readonly toolFilters: readonly string[];
  readonly overrides: Readonly<Record<string, ToolOverride>>;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  readonly protocol: Protocol;
  readonly isolation: Isolation;
  readonly questions: Questions;
  /** Names of additional variables that the server inherits from the workbench's environment. */
  readonly inheritEnv: readonly string[];
  readonly disabled: boolean;
  /** Why the server cannot be started as configured, for example because a variable is not set. */
  readonly unavailable: string | undefined;
}

export interface ToolboxSettings {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly servers: ReadonlyMap<string, ServerSettings>;
}

/** A file that defines variables for the references of a configuration. */
export interface EnvFile {
  readonly file: string;
  /** Whether it may be a symbolic link. */
  readonly links: "follow" | "refuse";
  /** Its text when it was read; undefined if it did not exist. */
  readonly text: string | undefined;
}

export interface WorkbenchSettings {
  /** The file it was read from; undefined for a configuration given as an object. */
  readonly file: string | undefined;
  /** The files that were read for its variables; empty if it refers to none. */
  readonly envFiles: readonly EnvFile[];
  readonly toolMode: ToolMode;
  readonly toolboxes: ReadonlyMap<string, ToolboxSettings>;
  /** Limits for messages from clients. */
  readonly limits: Limits;
  readonly http: {
    readonly sessions: number;
    readonly sessionIdleMs: number;
    readonly bodyBytes: number;
  };
  readonly log: {
    readonly level: "debug" | "info" | "warn" | "error" | "silent";
    readonly format: "text" | "json";
    readonly file: string | undefined;
  };
  readonly discovery: "eager" | "lazy" | "off";
  /** Above this many tokens, an `open_toolbox` result starts with how to get a shorter one. */
  readonly openBudgetTokens: number;
  /** Values that must never appear in a log or an error, or reach another server. */
  readonly secrets: readonly string[];
  /** Problems that do not prevent the workbench from serving, with their location. */
  readonly warnings: readonly string[];
}
