import type { VNode } from "preact";
import type { ServerSummary } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { Badge } from "../../parts/badge.tsx";
import { linkTo } from "../../route.ts";
import { AUTH_STATES, shownState } from "./server-state.ts";

/** The state of a server, with its last error and what its sign-in needs. */
export function StateCell({ server }: { readonly server: ServerSummary }): VNode {
  const { state, auth, lastError } = server;
  const { tone, text } = shownState(state);
  return (
    <div class="stack tight">
      <span class="bar">
        <Badge tone={tone} text={text} />
        {auth !== null && <Badge {...AUTH_STATES[auth.state]} />}
      </span>
      {lastError !== null && <span class="small bad-text">{safeLine(lastError)}</span>}
      {auth !== null && auth.state !== "signed-in" && (
        <a class="small" href={linkTo("servers", [server.toolbox, server.server])}>
          Sign in<span class="unseen"> to {safeLine(server.server)}</span>
        </a>
      )}
    </div>
  );
}
