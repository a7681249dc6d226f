import type { SandboxSettings, WorkbenchSettings } from "../../config/types.ts";
import {
  type Unavailable,
  bwrapProblem,
  dockerProblem,
} from "../../servers/transport/stdio/sandbox/availability.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Findings } from "./check.ts";

type Kind = SandboxSettings["kind"];

const PROBES: ReadonlyMap<Kind, () => Promise<Unavailable | undefined>> = new Map([
  ["bwrap", () => bwrapProblem()],
  ["docker", () => dockerProblem()],
]);

/** Checks which sandboxes this machine supports. It matters for servers that have one. */
export async function checkSandboxes(
  settings: WorkbenchSettings | undefined,
  findings: Findings,
  probes = PROBES,
): Promise<void> {
  const servers = settings === undefined ? [] : serversIn(settings.toolboxes);
  for (const [kind, probe] of probes) {
    const users = servers.filter(
      ({ transport, disabled }) =>
        !disabled && transport.kind === "stdio" && transport.sandbox?.kind === kind,
    );
    // Docker may be slow to answer, and Linux has bwrap.
    if (users.length === 0 && kind === "docker") continue;
    const problem = await probe();
    const subject = `sandbox '${kind}'`;
    if (problem === undefined)
      findings.add({ area: "runtime", subject, status: "ok", message: "it can be used" });
    else if (users.length === 0)
      findings.add({
        area: "runtime",
        subject,
        status: "ok",
        message: `not available: ${problem.reason}`,
      });
    else {
      const { reason: message, fix } = problem;
      const isRequired = users.some(
        ({ transport }) => transport.kind === "stdio" && transport.sandbox?.required,
      );
      const status = isRequired ? "error" : "warning";
      findings.add({ area: "runtime", subject, status, message, fix });
    }
  }
}
