/** The types of what the owner manages: definitions, access tokens, logs, savings, the configuration. */
import type { TokenSummary } from "../../access/tokens/token-summary.ts";
import type { ServerName } from "./page.ts";

// --- pinned definitions ---

export type PinSeverity = "severe" | "review" | "cosmetic";

export interface PinOverview {
  /** In force; `off` without a lock file, unless the configuration says otherwise. */
  readonly mode: "off" | "warn" | "enforce";
  /** The lock file; null without a configuration file. */
  readonly file: string | null;
  readonly hasFile: boolean;
  /** Why the lock file cannot be used. */
  readonly problem: string | null;
  readonly servers: readonly PinnedServer[];
}

/** How a server compares with the lock file, as far as is known without connecting it. */
export interface PinnedServer extends ServerName {
  /** `unknown`: never connected. `removed`: in the lock file and no longer configured. */
  readonly state: "same" | "changed" | "new" | "removed" | "unknown";
  /** The number of definitions that are approved. */
  readonly approved: number;
  /** The names of tools that differ, at most 100. */
  readonly changed: readonly string[];
}

export interface PinDiff extends ServerName {
  /** Names this diff in `/ui/api/pins/trust`. */
  readonly digest: string;
  /** The severe ones first; empty if everything is as approved. */
  readonly differences: readonly PinDifference[];
  /** Texts that speak to a model instead of describing a tool. */
  readonly findings: readonly PinFinding[];
}

export interface PinDifference {
  readonly what: "tools" | "prompts" | "resourceTemplates" | "instructions" | "source" | "server";
  /** Empty for instructions, source and server. */
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly severity: PinSeverity;
  readonly reasons: readonly string[];
  readonly values: readonly PinValue[];
}

/** A value that differs, such as `inputSchema.properties.path.description`, word by word. */
export interface PinValue {
  readonly path: string;
  readonly parts: readonly { readonly mark: " " | "-" | "+"; readonly text: string }[];
}

export interface PinFinding {
  readonly what: string;
  readonly name: string;
  readonly signals: readonly string[];
}

export interface TrustRequest extends ServerName {
  readonly digest: string;
  /** Only this tool, prompt or template; everything if it is missing. */
  readonly name?: string;
}

// --- access tokens ---

export interface TokenList {
  readonly tokens: readonly TokenSummary[];
}

export type { TokenSummary as AccessToken };

export interface NewToken {
  readonly name: string;
  readonly toolboxes?: readonly string[];
  readonly servers?: readonly string[];
  readonly readOnly?: boolean;
  /** Such as `12h`, `30d`; without it, the token does not expire. */
  readonly expires?: string;
}

export interface IssuedToken extends TokenList {
  /** Shown once; it cannot be read again. */
  readonly token: string;
  readonly name: string;
}

// --- logs ---

export interface LogQuery {
  /** Part of the line. */
  readonly q?: string;
  /** `toolbox/server`, or the name of one of them. */
  readonly server?: string;
  /** This level and above. */
  readonly level?: LogLevel;
  /** At most 2000, and 200 if it is missing. */
  readonly limit?: string;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** The last lines that match, the oldest first. */
export interface LogPage {
  /** The log file. Without one, only lines since a dashboard was opened are kept. */
  readonly file: string | null;
  readonly lines: readonly LogLine[];
}

export interface LogLine {
  /** Null if the line does not say. */
  readonly time: string | null;
  readonly level: LogLevel | null;
  readonly text: string;
}

// --- token savings ---

/** The numbers of `mcp-workbench tokens --used`. */
export interface Savings {
  /** Whether `countTokens` is on. */
  readonly isCounting: boolean;
  readonly since: string | null;
  readonly total: SavedCounts;
  readonly entries: readonly SavingsEntry[];
  /** The file with earlier counts that were damaged. */
  readonly damagedFile: string | null;
}

export interface SavedCounts {
  readonly start: number;
  readonly search: number;
  readonly results: number;
  readonly scripts: number;
  readonly discovery: number;
  /** `start + results + scripts - discovery` */
  readonly saved: number;
}

export interface SavingsEntry extends SavedCounts {
  readonly kind: "client" | "token" | "user" | "others";
  readonly client: string;
  /** Null for what belongs to no single toolbox. */
  readonly toolbox: string | null;
}

// --- configuration ---

export interface ConfigView {
  /** Null if the workbench runs without a file; then it cannot be edited. */
  readonly file: string | null;
  /** Secrets in the file appear as `«secret 1»`; such a mark, kept, keeps the secret. */
  readonly text: string;
  /** Names the content of the file in `check` and `save`. */
  readonly version: string;
  readonly problems: readonly ConfigProblem[];
  /** Whether what is in the file is in effect. */
  readonly isInEffect: boolean;
  /** The last change that can be undone; null if there is none in this file. */
  readonly undo: UndoableChange | null;
  /** Changes that wait for the confirmation in the terminal. */
  readonly proposals: readonly Proposal[];
}

export interface ConfigProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  /** Both start at one; null if the problem has no place. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface UndoableChange {
  /** What was done, such as `add github`. */
  readonly what: string;
  /** Names the change in `undo`. */
  readonly at: string;
  /** What undoing would change, as a unified diff with secrets masked. */
  readonly diff: string;
}

export interface ConfigText {
  readonly text: string;
  /** Of the text that was edited; status 409 if the file has changed since. */
  readonly version: string;
}

export interface ConfigPlan {
  readonly problems: readonly ConfigProblem[];
  /** A unified diff with secrets masked; empty if nothing changes. */
  readonly diff: string;
  /** What has to be confirmed in the terminal, such as `start dev/github: npx …`; empty if nothing. */
  readonly confirm: readonly string[];
}

/** Status 422 if the text is not valid. */
export interface SavedConfig {
  /** Set if it has to be confirmed first; then nothing was written. */
  readonly proposal: Proposal | null;
  /** The backup of the file as it was before. */
  readonly backup: string | null;
  readonly view: ConfigView;
}

export interface Proposal {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly diff: string;
  readonly confirm: readonly string[];
  /** To run in a terminal: `mcp-workbench dashboard confirm ID`. */
  readonly command: string;
}
