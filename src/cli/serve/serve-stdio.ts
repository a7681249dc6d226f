import type { Readable, Writable } from "node:stream";

import type { FoundConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT } from "../../errors.ts";
import type { ClientView } from "../../serve/client-view.ts";
import { serveStdio } from "../../serve/stdio.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { followConfig } from "../../workbench/reload.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { endSignal } from "./end-signal.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { viewOf } from "./view.ts";

const FLUSH_MS = 400;

/** Standard input and output, unless something is between them and the client. */
export interface ClientStreams {
  readonly input?: Readable;
  readonly output?: Writable;
}

/** Serves the client on standard input and output; its `initialize` may have been answered already. */
export async function serveClient(
  config: FoundConfig,
  settings: WorkbenchSettings,
  shown: {
    readonly toolbox?: readonly string[] | undefined;
    readonly server?: string | undefined;
    readonly metrics?: string | undefined;
  },
  answered: IncomingRequest | undefined,
  { input = process.stdin, output = process.stdout }: ClientStreams = {},
): Promise<never> {
  const workbench = new Workbench(settings, { recordsMetrics: shown.metrics !== undefined });
  for (const warning of settings.warnings) workbench.host.log.warn(warning);
  const view = viewOf(workbench, shown.toolbox, shown.server);
  const signalled = endSignal(workbench);
  const { ended: served } = serveStdio(workbench, view, input, output, { answered });
  const { stop: unfollow } = followConfig(workbench, config);
  // Publishing the status can wait until the client has its first answers.
  setImmediate(() => void publishStatus(workbench, view));
  if (shown.metrics !== undefined) void serveMetrics(workbench, shown.metrics);
  const ended = await Promise.race([served, signalled]);
  unfollow();
  // After the end of input, a signal says that the answers are no longer wanted either.
  if (ended === "endOfInput") void signalled.then(() => workbench.close());
  await (ended === "gone" ? workbench.close() : workbench.shutDown());
  await flushed(output);
  if (output !== process.stdout) await flushed(process.stdout);
  // Standard input may still be open and would keep the process alive.
  process.exit(EXIT.ok);
}

async function publishStatus(workbench: Workbench, view: ClientView): Promise<void> {
  const { publishPresence, statusOf } = await import("../../workbench/presence.ts");
  publishPresence(workbench, () => statusOf(workbench, view, 1));
}

/** Resolves when the output has been read, the reader is gone, or after a short time limit. */
function flushed(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("drain", resolve);
    stream.once("close", resolve);
    setTimeout(resolve, FLUSH_MS);
  });
}
