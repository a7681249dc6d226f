import type { Environment } from "../config/canonical/expand.ts";
import type { HashCache } from "../pins/approved-definitions.ts";
import type { ClientView } from "../serve/client-view.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { Topic } from "./contract.ts";
import type { LiveCalls } from "./events/live-calls.ts";
import type { LogLines } from "./events/log-lines.ts";
import type { OwnerClient } from "./owner-client.ts";
import type { Questions } from "./questions.ts";

/** What the routes of a dashboard work with. */
export interface DashboardContext {
  readonly workbench: Workbench;
  /** What is served, and therefore shown. */
  readonly view: ClientView;
  /** The number of clients with a session. */
  readonly sessions: () => number;
  readonly calls: LiveCalls;
  readonly log: LogLines;
  /** Calls tools for the owner. */
  readonly client: OwnerClient;
  /** What servers ask during its calls. */
  readonly questions: Questions;
  /** Tells all pages that lists have changed. */
  readonly announce: (...topics: readonly Topic[]) => void;
  /** The hashes of definitions, which are compared again and again. */
  readonly hashes: HashCache;
  readonly env: Environment;
}
