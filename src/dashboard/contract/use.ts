/** The types of what runs: servers, tools, calls, and approvals of calls. */
import type { AuditOutcome } from "../../audit/audit-outcomes.ts";
import type { ServerState } from "../../servers/server-state.ts";
import type { ApiError, Page, PageQuery, ServerName } from "./page.ts";

// --- session and overview ---

export interface SessionInfo {
  /** The value of the CSRF header. Keep it in memory only. */
  readonly csrf: string;
  readonly version: string;
  readonly pid: number;
  readonly expiresAt: string;
}

export interface Overview {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly config: string | null;
  /** Why the configuration file is not in effect; null if it is. */
  readonly configProblem: string | null;
  readonly sessions: number;
  readonly toolboxes: number;
  readonly servers: Readonly<Record<ServerState, number>>;
  /** The number of tools that are known. */
  readonly tools: number;
  readonly pendingApprovals: number;
  /** Saved tokens in all; null if they are not counted. */
  readonly savedTokens: number | null;
}

// --- toolboxes and servers ---

export type { ServerState };

export interface ServerQuery extends PageQuery {
  /** Part of the name of the toolbox or server. */
  readonly q?: string;
  readonly toolbox?: string;
  readonly state?: ServerState;
}

/** In the order of the configuration; servers of a toolbox follow each other. */
export interface ServerPage extends Page<ServerSummary> {
  readonly toolboxes: readonly ToolboxSummary[];
}

export interface ToolboxSummary {
  readonly name: string;
  readonly description: string;
  readonly servers: number;
  readonly ready: number;
}

export interface ServerSummary extends ServerName {
  readonly state: ServerState;
  readonly pid: number | null;
  readonly restarts: number;
  readonly lastError: string | null;
  /** The stable name of its cause, such as `refused` or `exited`. */
  readonly lastErrorCode: string | null;
  /** The number of its tools; null if it was never connected. */
  readonly tools: number | null;
  readonly auth: ServerAuth | null;
  readonly calls: number;
  readonly errors: number;
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number } | null;
  readonly kind: "local" | "remote" | "scripts";
}

/** The sign-in of a remote server. */
export interface ServerAuth {
  readonly state: "signed-in" | "needs-login" | "needs-scope" | "refused" | "unreachable";
  readonly account: string;
  readonly issuer: string | null;
  readonly scope: string | null;
  readonly expiresAt: string | null;
  /** The command that signs in. */
  readonly login: string;
  readonly reason: string | null;
}

/** An address of this machine that works once, for ten minutes, and leads to the sign-in page. */
export interface SignInLink {
  readonly url: string;
  /** Where the server is. */
  readonly origin: string;
}

export interface ServerDetail extends ServerSummary {
  /** What is started or connected to, with secrets redacted. */
  readonly target: string;
  /** The last lines of its standard error. */
  readonly stderr: readonly string[];
  /** Settings about its tools that do not match its tools. */
  readonly problems: readonly string[];
  /** Where each user signs in: the users other than the owner who have clients, as far as they are shown. */
  readonly users?: readonly ServerUser[];
  /** How many there are. */
  readonly userCount?: number | undefined;
}

/** A server that each user signs in to, as one user has it. */
export interface ServerUser {
  readonly user: string;
  readonly state: ServerState;
  readonly auth: ServerAuth | null;
  readonly calls: number;
  readonly errors: number;
}

// --- tools ---

export interface ToolName extends ServerName {
  readonly name: string;
}

export interface ToolQuery extends PageQuery {
  /** Words to search for; the best match comes first. Without it, the order of the configuration. */
  readonly q?: string;
  readonly toolbox?: string;
  readonly server?: string;
}

export interface ToolPage extends Page<ToolSummary> {
  /** Servers whose tools are not known, because they were never connected or failed. */
  readonly unknown: readonly (ServerName & { readonly state: ServerState })[];
}

export interface ToolSummary extends ToolName {
  readonly title: string | null;
  /** The arguments in short: `path, head?: number`. */
  readonly signature: string;
  /** The first sentence of the description. */
  readonly description: string;
}

export interface ToolDetail extends ToolSummary {
  /** The definition as clients see it: any JSON, from the server. */
  readonly definition: unknown;
  readonly inputSchema: unknown;
  /** Estimated tokens of the definition. */
  readonly tokens: number;
  readonly class: "read" | "write" | "destructive";
  /** What the policy says about calls by the owner; `arguments` if it depends on them. */
  readonly policy: "allow" | "ask" | "deny" | "arguments";
}

export interface ToolCallRequest extends ToolName {
  /** A random text of the page, with which it finds what the server asks during the call. Without it, nothing can be asked. */
  readonly call?: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a server asks the user during a call. */
export interface ToolQuestion extends ServerName {
  readonly id: string;
  readonly message: string;
  /** A JSON schema of what it wants to know; null if it asks to open an address. */
  readonly schema: unknown;
  /** An http or https address that it asks to open. */
  readonly link: WebLink | null;
}

export interface WebLink {
  readonly url: string;
  readonly origin: string;
}

export interface QuestionList {
  /** Those of one call, the oldest first. */
  readonly questions: readonly ToolQuestion[];
}

/** Status 409 if the server no longer waits for an answer. */
export interface QuestionAnswer {
  readonly call: string;
  readonly id: string;
  readonly action: "accept" | "decline" | "cancel";
  /** What was entered, if it was a form and is accepted. */
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface ToolCallAnswer {
  readonly outcome: "ok" | "tool_error" | "error";
  /** The result as formatted JSON, cut after 256 KB; the error of the call if there is none. */
  readonly text: string;
  readonly isCut: boolean;
  /** The blocks of the result that are text or structured, for a readable view; others by type only. */
  readonly blocks: readonly ResultBlock[];
  readonly error: ApiError | null;
  /** What the server wants the user to open before the tool is called again. */
  readonly links: readonly (WebLink & { readonly message: string })[];
  readonly durationMs: number;
  readonly bytes: number;
  readonly tokens: number;
}

export interface ResultBlock {
  readonly type: string;
  readonly text: string | null;
  readonly mimeType: string | null;
  readonly bytes: number;
}

// --- calls ---

export type CallState = "running" | AuditOutcome;

export interface CallQuery extends PageQuery {
  /** Part of the name of the tool, server, toolbox, client or principal. */
  readonly q?: string;
  readonly state?: CallState | "failed";
}

/** The most recent calls first. Calls are observed while a dashboard is open. */
export interface CallPage extends Page<LiveCall> {
  readonly since: string;
}

export interface LiveCall {
  /** Ascending. */
  readonly id: string;
  /** The call of a script that made it. */
  readonly parent: string | null;
  readonly startedAt: string;
  readonly principal: { readonly kind: string; readonly name: string };
  /** The client as it describes itself. */
  readonly client: { readonly name: string; readonly version: string } | null;
  readonly method: string;
  readonly toolbox: string | null;
  readonly server: string | null;
  /** The tool, prompt or resource. */
  readonly subject: string;
  readonly state: CallState;
  readonly durationMs: number | null;
  readonly bytesIn: number;
  readonly bytesOut: number | null;
  readonly tokensIn: number;
  readonly tokensOut: number | null;
  /** The code of the error. */
  readonly code: string | null;
}

export interface CallDetail extends LiveCall {
  /** Whether arguments and results of calls are shown (setting `dashboard.payloads`). */
  readonly hasPayloads: boolean;
  /** Null if they are not shown (`dashboard.payloads`), or no longer kept. Secrets are redacted. */
  readonly arguments: string | null;
  readonly result: string | null;
}

// --- approvals ---

export interface ApprovalLists {
  /** The oldest first. */
  readonly pending: readonly Approval[];
  readonly always: readonly AlwaysAllowed[];
}

export interface Approval extends ServerName {
  readonly id: string;
  /** The name of the principal that wants to call. */
  readonly client: string;
  readonly tool: string;
  /** One line for each argument; shortened, without secrets. */
  readonly arguments: readonly string[];
  readonly reason: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface AlwaysAllowed extends ServerName {
  readonly id: string;
  readonly client: string;
  readonly tool: string;
  readonly sameArgumentsOnly: boolean;
}

/** Status 409 if it was answered before, 404 if it no longer waits. */
export interface ApprovalAnswer {
  readonly id: string;
  readonly decision: "once" | "session" | "always" | "deny";
}
