import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";

import type { SecretCommand } from "../../config/types.ts";
import { lineMask } from "../../secrets/in-entry.ts";
import { programPath } from "../../secrets/run-program.ts";
import { MAX_SECRET_BYTES, textOf } from "../../secrets/secret-file.ts";
import { drain } from "../deadline.ts";
import { serverEnvironment } from "../transport/stdio/environment.ts";
import type { Guard } from "../transport/stdio/guard.ts";
import { ProcessTree } from "../transport/stdio/process-tree.ts";

/** How long a program may take to end after SIGTERM. */
const GRACE_MS = 500;
const MAX_STDERR_CHARS = 4096;

export interface CommandHost {
  readonly guard: Guard;
  /** Aborted when the workbench closes. */
  readonly signal: AbortSignal;
  /** Registers values that must not be shown from now on. */
  readonly hide: (values: readonly string[]) => void;
}

/**
 * Runs a secret command, without a shell and without input, and returns what it printed, which is
 * hidden already. Throws an error with the reason, worded to follow the name of the command.
 */
export async function runSecretCommand(run: SecretCommand, host: CommandHost): Promise<string> {
  const child = await start(run);
  const { pid } = child;
  if (pid === undefined) throw await startFailure(child, run);
  const tree = new ProcessTree(pid);
  host.guard.watch(pid);
  try {
    const end = await outcomeOf(child, run.timeoutMs, host.signal);
    const [line = ""] = end.stderr.trim().split("\n").slice(-1);
    // A program that fails may have printed the secret, or a part of it.
    const printed = end.stdout.toString("utf8");
    host.hide([printed]);
    if (end.problem !== undefined) {
      await tree.terminate(GRACE_MS);
      throw new Error(end.problem);
    }
    if (end.code !== 0) throw new Error(exitText(end.code, lineMask([printed.trim()])(line)));
    return textOf(end.stdout);
  } finally {
    host.guard.forget(pid);
  }
}

interface End {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Why the program has to be ended. */
  readonly problem?: string;
}

async function start({ command, inheritEnv, cwd }: SecretCommand): Promise<ChildProcess> {
  const [program = "", ...args] = command;
  const isWindows = process.platform === "win32";
  const env = serverEnvironment({}, inheritEnv);
  const path = isWindows ? program : (programPath(program, env) ?? program);
  // Only Windows needs help to find and quote `gcloud.cmd`; elsewhere no shell is involved.
  const launch = isWindows ? (await import("cross-spawn")).default : spawn;
  return launch(path, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: !isWindows,
    windowsHide: true,
    shell: false,
  });
}

async function startFailure(child: ChildProcess, { command }: SecretCommand): Promise<Error> {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
  const [program] = command;
  const reason =
    error.code === "ENOENT"
      ? `its program '${program}' was not found. Is it installed and on the PATH?`
      : `its program '${program}' cannot be started: ${error.message}`;
  return new Error(reason, { cause: error });
}

function outcomeOf(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<End> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = "";
  return new Promise((resolve) => {
    const settle = (end: Pick<End, "code" | "problem">): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      resolve({ ...end, stdout: Buffer.concat(chunks), stderr });
    };
    const onAbort = (): void => settle({ code: null, problem: "the workbench is closing" });
    const timer = setTimeout(() => {
      settle({ code: null, problem: `it did not finish within ${timeoutMs} ms` });
    }, timeoutMs);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    const stdout = child.stdout as Readable;
    stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_SECRET_BYTES) chunks.push(chunk);
      else settle({ code: null, problem: `it printed more than ${MAX_SECRET_BYTES / 1024} KB` });
    });
    (child.stderr as Readable).setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR_CHARS);
    });
    for (const stream of [stdout, child.stderr]) stream?.on("error", () => {});
    const closed = new Promise<void>((done) => child.once("close", () => done()));
    child.once("error", () => {});
    child.once("exit", (code) => {
      void drain(closed).then(() => settle({ code }));
    });
  });
}

function exitText(code: number | null, line: string): string {
  const end = code === null ? "it was ended by a signal" : `it failed with exit code ${code}`;
  return line.trim() === "" ? end : `${end}: ${line.trim()}`;
}
