/** Ways to exchange JSON-RPC messages as text, with nothing in between. */
import { spawn } from "node:child_process";
import type { Endpoint } from "./client.ts";
import { openHttpLink } from "./raw-http.ts";

const PATIENCE_MS = 2000;

export interface RawLink {
  /** Sends one message; for a request, gives up waiting for its answer when the signal says so. */
  send(message: string, routing: Routing): void;
  /** Called with every message that arrives, as it was written. */
  receive: (message: string) => void;
  /** The handshake of the legacy era is over. */
  initialized(): void;
  close(): Promise<void>;
}

/** What HTTP repeats of a message in its headers. */
export interface Routing {
  readonly method: string;
  readonly name?: string | undefined;
  readonly modern: boolean;
  /** Another version than the one that is spoken. */
  readonly version?: string | undefined;
  /** Hangs up; a channel that is shared by all requests cannot. */
  readonly hangUp?: AbortSignal | undefined;
}

export function openLink(endpoint: Endpoint): RawLink {
  return endpoint.transport === "http" ? openHttpLink(endpoint) : openStdioLink(endpoint);
}

function openStdioLink(endpoint: Extract<Endpoint, { transport: "stdio" }>): RawLink {
  const { command, args, env, cwd } = endpoint;
  const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const link: RawLink = {
    send: (message) => void child.stdin.write(`${message}\n`),
    receive: () => {},
    initialized: () => {},
    close: async () => {
      child.stdin.end();
      // Some servers go on without a client.
      const force = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await exited;
      clearTimeout(force);
    },
  };
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) link.receive(line);
  });
  child.stdin.on("error", () => {});
  return link;
}
