import { answer, listApprovals, withdraw } from "./api/approvals.ts";
import { listCalls, showCall } from "./api/calls.ts";
import { check, discard, save, showConfig, undo } from "./api/config.ts";
import { logs } from "./api/logs.ts";
import { overview, savings } from "./api/overview.ts";
import { diffPins, trustPins } from "./api/pin-diff.ts";
import { listPins } from "./api/pins.ts";
import { listServers, restart, showServer, signIn } from "./api/servers.ts";
import { create, listTokens, revoke, rotate } from "./api/tokens.ts";
import { answerQuestion, callTool, listQuestions } from "./api/tool-call.ts";
import { listTools, showTool } from "./api/tools.ts";
import type { DashboardContext } from "./context.ts";
import type { ChangeRoutes, ReadRoutes } from "./contract.ts";
import type { Body } from "./http/body.ts";
import type { Query } from "./http/query.ts";

type Answer<T> = T | Promise<T>;

/** The routes that read, except the one about the session itself. */
export const READS: {
  readonly [P in Exclude<keyof ReadRoutes, "/ui/api/session">]: (
    context: DashboardContext,
    query: Query,
  ) => Answer<ReadRoutes[P]["answer"]>;
} = {
  "/ui/api/overview": overview,
  "/ui/api/servers": listServers,
  "/ui/api/server": showServer,
  "/ui/api/tools": listTools,
  "/ui/api/tool": showTool,
  "/ui/api/questions": listQuestions,
  "/ui/api/calls": listCalls,
  "/ui/api/call": showCall,
  "/ui/api/approvals": listApprovals,
  "/ui/api/pins": listPins,
  "/ui/api/pins/diff": diffPins,
  "/ui/api/tokens": listTokens,
  "/ui/api/logs": logs,
  "/ui/api/savings": savings,
  "/ui/api/config": showConfig,
};

/** The routes that change something, except those about the session itself. */
export const CHANGES: {
  readonly [P in Exclude<keyof ChangeRoutes, "/ui/login" | "/ui/logout">]: (
    context: DashboardContext,
    body: Body,
    /** Aborted when the page no longer waits. */
    signal: AbortSignal,
  ) => Answer<ChangeRoutes[P]["answer"]>;
} = {
  "/ui/api/server/restart": restart,
  "/ui/api/server/sign-in": signIn,
  "/ui/api/tool/call": callTool,
  "/ui/api/questions/answer": answerQuestion,
  "/ui/api/approvals/answer": answer,
  "/ui/api/approvals/withdraw": withdraw,
  "/ui/api/pins/trust": trustPins,
  "/ui/api/tokens/create": create,
  "/ui/api/tokens/rotate": rotate,
  "/ui/api/tokens/revoke": revoke,
  "/ui/api/config/check": check,
  "/ui/api/config/save": save,
  "/ui/api/config/undo": undo,
  "/ui/api/config/discard": discard,
};
