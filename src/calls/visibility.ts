import type { CallableTool } from "./destination.ts";
import type { ServerRef } from "./identifier.ts";
import type { Principal } from "./principal.ts";

/** Tools by name. */
export interface SeenTools<T extends CallableTool = CallableTool> {
  readonly tools: ReadonlyMap<string, T>;
  /** Why tools that exist are left out, by name. */
  readonly withheld?: ReadonlyMap<string, string>;
}

/** What principals may see of servers. Calls of everything else are refused by a step. */
export interface Visibility {
  /** Whether a principal may use nothing of a server: for it, the server does not exist. */
  hides(principal: Principal, server: ServerRef): boolean;
  /** Whether a principal may not use the prompts and resources of a server. */
  deniesOthers(principal: Principal, server: ServerRef): boolean;
  /** Whether a principal may only read on a server. */
  onlyReads(principal: Principal, server: ServerRef): boolean;
  /** Whether a principal may use everything of a server. */
  allowsAll(principal: Principal, server: ServerRef): boolean;
  /** The tools that a principal sees; the same object if it sees all of them. */
  seen<T extends CallableTool>(
    principal: Principal,
    server: ServerRef,
    catalogue: SeenTools<T>,
  ): SeenTools<T>;
}

const NO_TOOLS = { tools: new Map<string, never>() };

/** Shows nothing, for as long as it is unknown what may be shown. */
export const NOTHING_VISIBLE: Visibility = {
  hides: () => true,
  deniesOthers: () => true,
  onlyReads: () => true,
  allowsAll: () => false,
  seen: () => NO_TOOLS,
};
