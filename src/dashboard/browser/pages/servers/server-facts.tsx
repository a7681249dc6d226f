import type { VNode } from "preact";
import type { ServerDetail } from "../../../contract.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { formatCount, formatDate, formatDuration } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { Command } from "../../parts/command.tsx";
import { Facts } from "../../parts/facts.tsx";
import { SignInButton } from "./sign-in-button.tsx";
import { AUTH_STATES, shownState } from "./server-state.ts";

export function ServerFacts({ server }: { readonly server: ServerDetail }): VNode {
  const { auth, latency, lastError, lastErrorCode } = server;
  return (
    <div class="card">
      <Facts
        facts={[
          ["State", <Badge {...shownState(server.state)} />],
          [
            server.kind === "remote" ? "Address" : "Command",
            <code>{safeText(server.target)}</code>,
          ],
          ["Process", server.pid],
          ["Restarts", formatCount(server.restarts)],
          [
            "Last error",
            lastError !== null && (
              <span class="bad-text">
                {safeText(lastError)}
                {lastErrorCode !== null && <span class="muted"> ({safeLine(lastErrorCode)})</span>}
              </span>
            ),
          ],
          ["Tools", server.tools === null ? "not known yet" : formatCount(server.tools)],
          ["Calls", callsOf(server)],
          [
            "Time of calls",
            latency !== null &&
              `half below ${formatDuration(latency.p50)}, 99 % below ${formatDuration(latency.p99)}`,
          ],
          ["Sign-in", auth !== null && <SignInFacts server={server} auth={auth} />],
        ]}
      />
    </div>
  );
}

function callsOf({ calls, errors }: ServerDetail): string {
  return errors === 0 ? formatCount(calls) : `${formatCount(calls)}, ${formatCount(errors)} failed`;
}

interface SignInFactsProps {
  readonly server: ServerDetail;
  readonly auth: NonNullable<ServerDetail["auth"]>;
}

function SignInFacts({ server, auth }: SignInFactsProps): VNode {
  const { state, account, issuer, expiresAt, reason, login } = auth;
  return (
    <div class="stack tight">
      <span class="bar">
        <Badge {...AUTH_STATES[state]} />
        <span>account {safeLine(account)}</span>
        {issuer !== null && <span class="muted">{safeLine(issuer)}</span>}
      </span>
      {expiresAt !== null && <span>until {formatDate(Date.parse(expiresAt))}</span>}
      {reason !== null && <span class="bad-text">{safeLine(reason)}</span>}
      {state !== "signed-in" && (
        <>
          <SignInButton toolbox={server.toolbox} server={server.server} />
          <span class="muted small">Or run this command in a terminal:</span>
          <Command text={login} />
        </>
      )}
    </div>
  );
}
