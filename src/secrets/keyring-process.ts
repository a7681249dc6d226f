import { spawn } from "node:child_process";
import { createRequire } from "node:module";

import type { Environment } from "../config/canonical/expand.ts";
import { codeOf } from "../text/error-code.ts";
import { asText, isObject, parseJson } from "../text/json.ts";

/** One operation on the entry of an account in the keychain of the operating system. */
export type KeyringRequest = {
  readonly service: string;
  readonly account: string;
  /** For Windows: the name of the entry, which the library chooses otherwise. */
  readonly target?: string;
} & ({ readonly action: "get" | "delete" } | { readonly action: "set"; readonly value: string });

export interface KeyringOptions {
  readonly env: Environment;
  /** How long the keychain may take; the user may have to unlock it. */
  readonly timeoutMs: number;
  /** The path of the library; by default the installed one. */
  readonly library?: string;
}

/** The start of the program is not the keychain's fault, and takes seconds on a busy machine. */
const MAX_START_MS = 15_000;
const MAX_REASON_CHARS = 200;
const READY = "ready\n";

/**
 * Runs a request in its own process. On Linux, the library blocks its thread while it waits for the
 * keychain, even in its asynchronous functions, and a process with a blocked thread cannot end.
 * Resolves with the value of the entry, or undefined if there is none; rejects with a short reason.
 */
export async function runKeyring(
  request: KeyringRequest,
  { env, timeoutMs, library = keyringLibrary() }: KeyringOptions,
): Promise<string | undefined> {
  if (library === undefined)
    throw new Error("the optional package @napi-rs/keyring is not installed");
  const child = spawn(process.execPath, ["-e", SCRIPT, library], {
    // These variables would change how the process starts.
    env: { ...env, NODE_OPTIONS: undefined, ELECTRON_RUN_AS_NODE: "1" } as NodeJS.ProcessEnv,
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  let output = "";
  let failure: string | undefined;
  const stop = (reason: string): void => {
    failure ??= reason;
    child.kill("SIGKILL");
  };
  let timer = setTimeout(stop, MAX_START_MS, "its process did not start in time");
  try {
    await new Promise<void>((resolve) => {
      child.on("error", (error) => {
        failure ??= `its process did not start (${codeOf(error) ?? "unknown reason"})`;
        resolve();
      });
      child.on("close", () => resolve());
      // The answer, or its lack, says why the process did not read the request.
      child.stdin.on("error", () => {});
      // Stays open: the process ends when this end is closed, also by the death of this process.
      child.stdin.write(`${JSON.stringify(request)}\n`);
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const wasReady = output.startsWith(READY);
        output += text;
        if (wasReady || !output.startsWith(READY)) return;
        clearTimeout(timer);
        timer = setTimeout(stop, timeoutMs, `no answer within ${timeoutMs / 1000} seconds`);
      });
    });
  } finally {
    clearTimeout(timer);
  }
  const answer = parseJson(output.replace(READY, ""));
  if (failure !== undefined) throw new Error(failure);
  if (!isObject(answer)) throw new Error("its process ended without an answer");
  if (typeof answer["error"] === "string") throw new Error(shortReason(answer["error"]));
  return answer["value"] === null ? undefined : asText(answer["value"]);
}

/** The path of the library, which is optional; undefined if it is not installed. */
export function keyringLibrary(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("@napi-rs/keyring");
  } catch {
    return undefined;
  }
}

function shortReason(text: string): string {
  if (text.includes("DBUS_SESSION_BUS_ADDRESS")) return "there is no D-Bus session";
  const [line = ""] = text.trim().split("\n");
  return line.slice(0, MAX_REASON_CHARS) || "unknown reason";
}

/**
 * Runs in the thread that calls the library. Without a fixed store, the library would fall back to the
 * keyring of the Linux kernel, which is lost at the next start of the machine.
 */
const THREAD = `
  const { parentPort, workerData: { library, request } } = require("node:worker_threads");
  const { action, service, account, target, value } = request;
  function open({ Entry }) {
    if (target !== undefined) return Entry.withTarget(target, service, account);
    return new Entry(service, account, { linux: { store: "secret-service" } });
  }
  function use(entry) {
    if (action === "get") return entry.getPassword();
    if (action === "delete") return entry.deletePassword() ? "" : null;
    entry.setPassword(value);
    return null;
  }
  try {
    const loaded = require(library);
    parentPort.postMessage("ready\\n");
    parentPort.postMessage({ value: use(open(loaded)) });
  } catch (error) {
    parentPort.postMessage({ error: String(error && error.message) });
  }
`;

/**
 * The thread may never return, so the main thread waits for the end of the input. `exit` would wait
 * for the thread.
 */
const SCRIPT = `
  const { Worker } = require("node:worker_threads");
  const end = () => process.kill(process.pid, "SIGKILL");
  process.stdin.on("end", end).on("error", end);
  let input = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    input += text;
    if (!input.endsWith("\\n")) return;
    const data = { library: process.argv[1], request: JSON.parse(input) };
    const worker = new Worker(${JSON.stringify(THREAD)}, { eval: true, workerData: data });
    const answer = (value) => process.stdout.write(typeof value === "string" ? value : JSON.stringify(value), () => {
      if (typeof value !== "string") end();
    });
    worker.on("message", answer);
    worker.on("error", (error) => answer({ error: error.message }));
  });
`;
