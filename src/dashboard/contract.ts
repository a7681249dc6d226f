/**
 * What the dashboard's server and its page agree on. The page is same-origin with `/ui/`; everything below
 * `/ui/api/` and `/ui/events` needs the session cookie. Times are ISO dates, durations milliseconds.
 */
import type * as manage from "./contract/manage.ts";
import type { ApiError, ServerName } from "./contract/page.ts";
import type * as use from "./contract/use.ts";

export type * from "./contract/events.ts";
export type * from "./contract/manage.ts";
export type * from "./contract/page.ts";
export type * from "./contract/use.ts";

/** Every POST except `/ui/login` sends the token of the session in this header. */
export const CSRF_HEADER = "x-workbench-csrf";

/** The one-time code in the address that `mcp-workbench dashboard` prints: `/ui/#code=…`. */
export const CODE_PARAMETER = "code";

/** The calls that the filter `failed` shows. */
export const FAILED_STATES: readonly use.CallState[] = ["tool_error", "error", "denied", "timeout"];

/** The answer to every request that failed, with a matching HTTP status. */
export interface ApiFailure {
  readonly error: ApiError;
}

/** Requests that read: method GET, parameters in the query. */
export interface ReadRoutes {
  "/ui/api/session": { query: Record<never, never>; answer: use.SessionInfo };
  "/ui/api/overview": { query: Record<never, never>; answer: use.Overview };
  "/ui/api/servers": { query: use.ServerQuery; answer: use.ServerPage };
  "/ui/api/server": { query: ServerName; answer: use.ServerDetail };
  "/ui/api/tools": { query: use.ToolQuery; answer: use.ToolPage };
  "/ui/api/tool": { query: use.ToolName; answer: use.ToolDetail };
  /** What a server asks during a call that the page has made. */
  "/ui/api/questions": { query: { call: string }; answer: use.QuestionList };
  "/ui/api/calls": { query: use.CallQuery; answer: use.CallPage };
  "/ui/api/call": { query: { id: string }; answer: use.CallDetail };
  "/ui/api/approvals": { query: Record<never, never>; answer: use.ApprovalLists };
  "/ui/api/pins": { query: Record<never, never>; answer: manage.PinOverview };
  /** Connects the server, so it may take as long as a start. */
  "/ui/api/pins/diff": { query: ServerName; answer: manage.PinDiff };
  "/ui/api/tokens": { query: Record<never, never>; answer: manage.TokenList };
  "/ui/api/logs": { query: manage.LogQuery; answer: manage.LogPage };
  "/ui/api/savings": { query: Record<never, never>; answer: manage.Savings };
  "/ui/api/config": { query: Record<never, never>; answer: manage.ConfigView };
}

/** Requests that change something: method POST, a JSON object as body, and the CSRF header. */
export interface ChangeRoutes {
  /** Needs no cookie and no CSRF header; sets the cookie. A code works once and for a minute. */
  "/ui/login": { body: { code: string }; answer: use.SessionInfo };
  "/ui/logout": { body: Record<never, never>; answer: Done };
  "/ui/api/server/restart": { body: ServerName; answer: use.ServerDetail };
  /** Makes a link to sign in to a server, for a browser on this machine. */
  "/ui/api/server/sign-in": { body: ServerName; answer: use.SignInLink };
  /** Calls a tool as the owner, with all rules that apply. Abort the request to cancel the call. */
  "/ui/api/tool/call": { body: use.ToolCallRequest; answer: use.ToolCallAnswer };
  "/ui/api/questions/answer": { body: use.QuestionAnswer; answer: use.QuestionList };
  "/ui/api/approvals/answer": { body: use.ApprovalAnswer; answer: use.ApprovalLists };
  /** Asks about a tool again that was always allowed. */
  "/ui/api/approvals/withdraw": { body: { id: string }; answer: use.ApprovalLists };
  /** Approves what the diff with this digest showed; status 409 if the server shows something else now. */
  "/ui/api/pins/trust": { body: manage.TrustRequest; answer: manage.PinDiff };
  "/ui/api/tokens/create": { body: manage.NewToken; answer: manage.IssuedToken };
  "/ui/api/tokens/rotate": { body: { name: string }; answer: manage.IssuedToken };
  "/ui/api/tokens/revoke": { body: { name: string }; answer: manage.TokenList };
  /** Checks a text and compares it with the file, without writing anything. */
  "/ui/api/config/check": { body: manage.ConfigText; answer: manage.ConfigPlan };
  /** Writes a valid text; what starts or reaches something new becomes a proposal instead. */
  "/ui/api/config/save": { body: manage.ConfigText; answer: manage.SavedConfig };
  /** Undoes the last change that is in effect, if it is the one shown; what that starts again becomes a proposal. */
  "/ui/api/config/undo": { body: { at: string }; answer: manage.ConfigView };
  "/ui/api/config/discard": { body: { id: string }; answer: manage.ConfigView };
}

export interface Done {
  readonly done: true;
}
