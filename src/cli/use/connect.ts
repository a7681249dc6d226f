import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import type { DeliveryFailure } from "../../calls/call-errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { Output } from "../output/output.ts";
import { Progress } from "../output/progress.ts";
import type { LocalClient } from "../../embed/local-client.ts";

export interface Connected {
  readonly server: Server;
  readonly connection: Connection;
}

export interface Failure {
  readonly server: Server;
  readonly error: WorkbenchError;
}

export interface Outcome {
  readonly connected: readonly Connected[];
  readonly failed: readonly Failure[];
}

/** The label `toolbox/server`. */
export function labelOf({ settings }: Server): string {
  return `${settings.toolbox}/${settings.name}`;
}

/** Connects to servers in parallel and shows the pending ones. */
export async function connectAll(
  client: LocalClient,
  servers: readonly Server[],
  out: Output,
  lineFor: (outcome: Connected | Failure) => string | undefined = () => undefined,
): Promise<Outcome> {
  const progress = new Progress(out, { total: servers.length });
  const connected: Connected[] = [];
  const failed: Failure[] = [];
  await Promise.all(
    servers.map(async (server) => {
      const step = progress.start(`connecting ${labelOf(server)}`);
      try {
        const outcome = { server, connection: await client.connect(server) };
        connected.push(outcome);
        step.end(lineFor(outcome));
      } catch (error) {
        const outcome = { server, error: asError(server, error) };
        failed.push(outcome);
        step.end(lineFor(outcome));
      }
    }),
  );
  const order = (a: { server: Server }, b: { server: Server }): number =>
    servers.indexOf(a.server) - servers.indexOf(b.server);
  return { connected: connected.sort(order), failed: failed.sort(order) };
}

function asError({ settings }: Server, error: unknown): WorkbenchError {
  if (isWorkbenchError(error)) return error;
  const { toolbox, name } = settings;
  const reason = reasonOf(error);
  return workbenchError("CONNECTION_FAILED", { toolbox, server: name, reason }, undefined, error);
}

/** The advice given by an error or one of its causes. */
function adviceOf({ cause }: { readonly cause?: unknown }): string | undefined {
  if (typeof cause !== "object" || cause === null) return undefined;
  if (isWorkbenchError(cause) && cause.hint !== undefined) return cause.hint;
  return (cause as Partial<DeliveryFailure>).fix ?? adviceOf(cause);
}

/** Why connecting to a server failed, and the last lines it wrote to standard error. */
export function explainFailure(error: WorkbenchError): {
  readonly reason: string;
  /** Advice, if the failure includes one; the reason ends with it. */
  readonly fix: string | undefined;
  readonly lastOutput: readonly string[];
} {
  // The context names the server, and a server that never started cannot have run a call.
  const text = (error.reason ?? error.text)
    .replace(/^Lost server '[^']*' in toolbox '[^']*' during \S+: /, "")
    .replace(/\. The call may or may not have taken effect$/, "");
  const [reason = "", output] = text.split(". Its last output: ");
  const fix = adviceOf(error);
  return { reason, fix, lastOutput: output === undefined ? [] : output.split(" | ") };
}
