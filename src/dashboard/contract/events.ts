/** The types of the events of `GET /ui/events`. Each is the JSON in `data:` of one server-sent event. */
import type { LogLine } from "./manage.ts";
import type { ServerName } from "./page.ts";
import type { LiveCall, ServerSummary } from "./use.ts";

/** Events are collected and sent at most four times a second. */
export type DashboardEvent =
  /** The first event of every stream: load everything that is shown. */
  | { readonly type: "hello"; readonly pid: number; readonly startedAt: string }
  /** Servers whose summary changed; those of the current list only. */
  | { readonly type: "servers"; readonly servers: readonly ServerSummary[] }
  /** Lines that a server wrote to standard error. */
  | (ServerName & { readonly type: "stderr"; readonly lines: readonly string[] })
  /** Calls that began or ended; one with a known id replaces it. */
  | { readonly type: "calls"; readonly calls: readonly LiveCall[] }
  | { readonly type: "log"; readonly lines: readonly LogLine[] }
  /** These lists have changed: load them again if they are shown. */
  | { readonly type: "changed"; readonly topics: readonly Topic[] }
  /** The page reads too slowly and has lost events: load everything that is shown again. */
  | { readonly type: "lost"; readonly events: number }
  /** The session or the workbench ends; the stream closes after it. */
  | { readonly type: "bye"; readonly reason: "session" | "shutdown" };

/** `servers`: toolboxes or servers were added or removed. */
export type Topic =
  | "servers"
  | "tools"
  | "approvals"
  | "questions"
  | "pins"
  | "tokens"
  | "savings"
  | "config";
