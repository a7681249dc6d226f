import { HashCache } from "../pins/approved-definitions.ts";
import type { ClientView } from "../serve/client-view.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { DashboardContext } from "./context.ts";
import { Feed } from "./events/feed.ts";
import { LiveCalls } from "./events/live-calls.ts";
import { LogLines } from "./events/log-lines.ts";
import { OwnerClient } from "./owner-client.ts";
import { Questions } from "./questions.ts";

/** The workbench that a dashboard shows. */
export interface ShownWorkbench {
  readonly workbench: Workbench;
  readonly view: ClientView;
  /** The number of clients with a session. */
  readonly sessions: () => number;
  /** Whether clients share it, so that one process of a server is for all of them. */
  readonly isShared?: boolean;
}

/** What the routes work with, and the events that pages get. */
export function createContext({ workbench, view, sessions, isShared }: ShownWorkbench): {
  readonly context: DashboardContext;
  readonly feed: Feed;
} {
  const { host } = workbench;
  const calls = new LiveCalls({
    keepsPayloads: () => workbench.settings.dashboard.payloads,
    redact: host.redact,
    onChange: (call) => feed.onCall(call),
  });
  const context: DashboardContext = {
    workbench,
    view,
    sessions,
    calls,
    log: new LogLines(),
    client: new OwnerClient(workbench, view.scope, isShared),
    questions: new Questions(() => feed.announce("questions")),
    announce: (...topics) => feed.announce(...topics),
    hashes: new HashCache(),
    env: process.env,
  };
  const feed = new Feed(context);
  return { context, feed };
}
