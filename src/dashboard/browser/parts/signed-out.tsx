import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { ApiProblem } from "../net/api-problem.ts";
import { Failure } from "./failure.tsx";

/** How the dashboard is opened. */
export const OPEN_COMMAND = "mcp-workbench dashboard";

/** The code of the problem that is none: the session has ended as it should. */
export const SIGNED_OUT = "signed-out";

/** In place of everything else without a session. */
export function SignedOut({ problem }: { readonly problem: ApiProblem | undefined }): VNode {
  useEffect(() => {
    document.title = "MCP Workbench";
  }, []);
  return (
    <main class="main alone">
      <div class="page">
        <h1>MCP Workbench</h1>
        {problem?.code === SIGNED_OUT ? (
          <p role="status">{problem.message}</p>
        ) : (
          <Failure problem={problem} />
        )}
        <div class="card">
          <p>
            To open the dashboard, run this command in a terminal on the machine of the workbench:
          </p>
          <p>
            <code class="secret">{OPEN_COMMAND}</code>
          </p>
          <p class="muted">It opens a link that works once, within a minute.</p>
        </div>
      </div>
    </main>
  );
}
