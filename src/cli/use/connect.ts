import { availableParallelism } from "node:os";

import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import type { DeliveryFailure } from "../../calls/call-errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import { hintOf } from "../core/sign-in-hint.ts";
import type { Output } from "../output/output.ts";
import { Progress } from "../output/progress.ts";
import type { LocalClient } from "../../embed/local-client.ts";
import { connectForTools } from "../../toolboxes/open.ts";
import { inParallel } from "../../workbench/parallel.ts";

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

/** How far connecting to several servers has got. */
export interface Count {
  readonly connected: number;
  readonly failed: number;
  readonly total: number;
}

const MAX_STARTS_AT_ONCE = 8;
/** How often a step is checked for a download. */
const CHECK_MS = 1000;

/**
 * How many servers commands start at the same time. Starting a server is mostly computing: if all
 * start at once on a small machine, healthy ones exceed their time limit while they wait for a core.
 */
export function startsAtOnce(cores: number = availableParallelism()): number {
  return Math.min(2 * cores, MAX_STARTS_AT_ONCE);
}

/**
 * Connects to servers, a few at a time, and shows the pending ones. The time limit of a server
 * begins when it is started. `onCount` is called at the beginning and after each server.
 */
export async function connectAll(
  client: LocalClient,
  servers: readonly Server[],
  out: Output,
  lineFor: (outcome: Connected | Failure) => string | undefined = () => undefined,
  onCount: (count: Count) => void = () => {},
): Promise<Outcome> {
  const progress = new Progress(out, { total: servers.length });
  const connected: Connected[] = [];
  const failed: Failure[] = [];
  const report = (): void =>
    onCount({ connected: connected.length, failed: failed.length, total: servers.length });
  report();
  await inParallel(servers, startsAtOnce(), async (server) => {
    const step = progress.start(`connecting ${labelOf(server)}`);
    const timer = setInterval(() => {
      const activity = server.state === "downloading" ? "downloading" : "connecting";
      step.update(`${activity} ${labelOf(server)}`);
    }, CHECK_MS).unref();
    let outcome: Connected | Failure;
    try {
      const connection = await connectForTools(server, (one) => client.connect(one));
      outcome = { server, connection };
      connected.push(outcome);
    } catch (error) {
      outcome = { server, error: asError(server, error) };
      failed.push(outcome);
    }
    clearInterval(timer);
    // Servers that fail because the user stopped the command are not worth a line.
    if (server.state === "closing") {
      step.end();
      return;
    }
    step.end(lineFor(outcome));
    report();
  });
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
  const fix = hintOf(error) ?? adviceOf(error);
  return { reason, fix, lastOutput: output === undefined ? [] : output.split(" | ") };
}
