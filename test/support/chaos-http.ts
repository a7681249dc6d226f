/** The HTTP fixture server for tests: started, configured, and asked for its record. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Disposables } from "./disposables.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/chaos-http.mjs", import.meta.url));

export interface SeenRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON-RPC method of the body, if it has one. */
  readonly method?: string;
  readonly message?: Readonly<Record<string, unknown>>;
}

export interface ChaosRecord {
  readonly requests: readonly SeenRequest[];
  /** How often each tool was run. */
  readonly executed: Readonly<Record<string, number>>;
  /** Requests that are not finished yet, and those that the client cancelled. */
  readonly open: number;
  readonly aborted: number;
  /** The client's answers to requests of the server. */
  readonly answers: readonly Readonly<Record<string, unknown>>[];
  readonly gets: number;
  readonly deletes: number;
  readonly sessions: number;
  readonly streams: number;
}

export interface ChaosHttp {
  readonly port: number;
  readonly origin: string;
  readonly pid: number;
  /** Changes settings of the fixture; see there. */
  set(settings: Readonly<Record<string, unknown>>): Promise<ChaosRecord>;
  seen(): Promise<ChaosRecord>;
  /** Waits until the record shows what is expected. */
  until(isReached: (record: ChaosRecord) => boolean, what: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startChaosHttp(
  disposables: Disposables,
  ...args: string[]
): Promise<ChaosHttp> {
  const child = spawn(process.execPath, [FIXTURE, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  disposables.defer(stop);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  const origin = `${args.includes("--tls") ? "https" : "http"}://127.0.0.1:${port}`;
  const control = (settings?: Readonly<Record<string, unknown>>): Promise<ChaosRecord> =>
    new Promise((resolve, reject) => {
      const method = settings === undefined ? "GET" : "POST";
      // The certificates of these tests are wrong on purpose.
      const options = { method, rejectUnauthorized: false, agent: false };
      const request = (origin.startsWith("https") ? https : http).request(
        `${origin}/control`,
        options,
      );
      request.on("error", reject);
      request.on("response", (response) => {
        json(response).then((record) => resolve(record as ChaosRecord), reject);
      });
      request.end(settings && JSON.stringify(settings));
    });
  return {
    port,
    origin,
    pid: child.pid as number,
    set: control,
    seen: () => control(),
    until: async (isReached, what) => {
      await waitFor(async () => isReached(await control()), GENEROUS_MS, what);
    },
    stop,
  };
}
