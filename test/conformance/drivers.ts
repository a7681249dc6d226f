/**
 * The suite starts a program for each scenario of a client. Loading a driver takes longer than most of its
 * work, so drivers run in this process; the program, `relay.mjs`, only asks for that.
 */
import { type Socket, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { withTemporaryDirectory } from "./temporary.ts";

const RELAY = fileURLToPath(new URL("relay.mjs", import.meta.url));

/** What the suite started its client with. */
export interface DriverStart {
  /** The address of the suite's server. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface DriverContext {
  /** Set when the suite no longer waits. */
  readonly signal: AbortSignal;
  readonly onStderr: (text: string) => void;
}

/** Runs one scenario; an error is what the client exits with. */
export type Drive = (start: DriverStart, context: DriverContext) => Promise<void>;

/** Serves a driver while `use` has the command that runs it. */
export function withDriver<T>(drive: Drive, use: (command: string) => Promise<T>): Promise<T> {
  return withTemporaryDirectory(async (directory) => {
    const running = new Set<Promise<void>>();
    const server = createServer((socket) => {
      const work = answer(socket, drive).finally(() => running.delete(work));
      running.add(work);
    });
    const path = join(directory, "driver");
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      return await use(`"${process.execPath}" "${RELAY}" "${path}"`);
    } finally {
      server.close();
      await Promise.all(running);
    }
  });
}

/** Runs the driver for one start of the relay, which ends its connection only when it is killed. */
async function answer(socket: Socket, drive: Drive): Promise<void> {
  const abort = new AbortController();
  socket.on("error", () => {}).on("close", () => abort.abort());
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: socket })
      .once("line", resolve)
      .once("close", () => resolve(""));
  });
  if (line === "") return;
  let output = "";
  const onStderr = (text: string): void => void (output += text);
  const start = JSON.parse(line) as DriverStart;
  const code = await drive(start, { signal: abort.signal, onStderr }).then(
    () => 0,
    (error: Error) => {
      output += `${error.stack}\n`;
      return 1;
    },
  );
  socket.end(JSON.stringify({ code, output }));
}
