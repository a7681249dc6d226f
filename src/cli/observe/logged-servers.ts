import type { LogFilter } from "../../text/log-filter.ts";
import type { ServerStatus } from "../../workbench/status.ts";
import type { ServerOutput } from "./followed-output.ts";
import { runningWorkbenches } from "./running-workbenches.ts";

/** A server of a running workbench, or one of its processes, and the last lines it wrote to standard error. */
export interface LoggedServer extends ServerOutput, Pick<ServerStatus, "state" | "lastError"> {}

/** What the servers of all running workbenches wrote. */
export async function loggedServers(filter: LogFilter): Promise<readonly LoggedServer[]> {
  const { running } = await runningWorkbenches();
  return running.flatMap(({ pid, toolboxes }) =>
    toolboxes.flatMap(({ name: toolbox, servers }) =>
      servers
        .flatMap(({ name: server, state, lastError, ...output }) =>
          outputsOf(output).map(({ pid: process, stderrTail: stderr }, index) => ({
            pid,
            toolbox,
            server,
            process,
            state,
            lastError: index === 0 ? lastError : null,
            stderr,
          })),
        )
        .filter(filter.matches),
    ),
  );
}

type ProcessLines = Pick<ServerStatus, "pid" | "stderrTail">;

/** What each process of a server wrote, or the last one if none runs. */
function outputsOf({
  stderrTail,
  processes = [],
}: ProcessLines & Partial<Pick<ServerStatus, "processes">>): readonly ProcessLines[] {
  return processes.length > 0 ? processes : [{ pid: null, stderrTail }];
}
