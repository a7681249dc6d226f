import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { ApiProblem } from "../net/api-problem.ts";
import { Failure } from "./failure.tsx";

/** How the dashboard is opened. */
export const OPEN_COMMAND = "mcp-workbench dashboard";

/** In place of everything else without a session. */
export function SignedOut({ problem }: { readonly problem: ApiProblem | undefined }): VNode {
  useEffect(() => {
    document.title = "MCP Workbench";
  }, []);
  return (
    <main class="main">
      <div class="page">
        <h1>MCP Workbench</h1>
        <Failure problem={problem} />
        <div class="card">
          <p>
            To open the dashboard, run this command in a terminal on the machine of the workbench:
          </p>
          <p>
            <code class="secret">{OPEN_COMMAND}</code>
          </p>
          <p class="muted">It prints a link that works once and for a minute.</p>
        </div>
      </div>
    </main>
  );
}
