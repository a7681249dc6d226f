import type { Readable, Writable } from "node:stream";

import { STDIO_PRINCIPAL } from "../calls/principal.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { type ClientView, principalView } from "./client-view.ts";
import type { SessionOptions } from "./legacy/session.ts";
import { StdioClient } from "./stdio-client.ts";
import { StdioPipe, type TagLine } from "./stdio-pipe.ts";

/** How a client left: it sends nothing more but may still read, or it is gone. */
export type ClientEnd = "endOfInput" | "gone";

export interface StdioOptions extends SessionOptions {
  /** An `initialize` that has been answered. */
  readonly answered?: IncomingRequest | undefined;
  /** Called for every line to the client. */
  readonly tag?: TagLine | undefined;
}

export interface ServedStdio {
  readonly client: StdioClient;
  readonly ended: Promise<ClientEnd>;
}

/**
 * Serves one client over a pair of streams, until it leaves. After the end of its input, requests in
 * flight may still be answered.
 */
export function serveStdio(
  workbench: Workbench,
  view: ClientView,
  input: Readable,
  output: Writable,
  { answered, tag, ...options }: StdioOptions = {},
): ServedStdio {
  const reader = workbench.readers.add();
  const pipe = new StdioPipe(input, output, (isSlow) => reader.setSlow(isSlow), tag);
  // If it is a single server that the policy hides, the server itself is reported as missing.
  const seen = principalView(workbench, view, options.principal ?? STDIO_PRINCIPAL) ?? view;
  const client = new StdioClient(workbench, seen, pipe, options);
  if (answered !== undefined) client.adopt(answered);
  pipe.start(client, workbench.settings.limits.messageBytes);
  const ended = new Promise<ClientEnd>((resolve) => {
    const gone = (): void => {
      input.pause();
      reader.remove();
      client.close();
      resolve("gone");
    };
    input.once("end", () => {
      input.off("close", gone);
      pipe.end();
      resolve("endOfInput");
    });
    input.once("close", gone);
    input.once("error", gone);
    // The client no longer reads.
    output.once("error", gone);
    output.once("close", () => reader.remove());
  });
  return { client, ended };
}
