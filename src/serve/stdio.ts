import type { Readable, Writable } from "node:stream";

import { STDIO_PRINCIPAL } from "../calls/principal.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { type ClientView, principalView } from "./client-view.ts";
import { StdioClient } from "./stdio-client.ts";
import { StdioPipe } from "./stdio-pipe.ts";

/** How a client left: it sends nothing more but may still read, or it is gone. */
export type ClientEnd = "endOfInput" | "gone";

/**
 * Serves one client over standard input and output, until it leaves. After the end of its input,
 * requests in flight may still be answered. `answered` is an `initialize` that has been answered.
 */
export function serveStdio(
  workbench: Workbench,
  view: ClientView,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
  answered?: IncomingRequest,
): Promise<ClientEnd> {
  const reader = workbench.readers.add();
  const pipe = new StdioPipe(input, output, (isSlow) => reader.setSlow(isSlow));
  // If it is a single server that the policy hides, the server itself is reported as missing.
  const seen = principalView(workbench, view, STDIO_PRINCIPAL) ?? view;
  const client = new StdioClient(workbench, seen, pipe);
  if (answered !== undefined) client.adopt(answered);
  pipe.start(client, workbench.settings.limits.messageBytes);
  return new Promise((resolve) => {
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
}
