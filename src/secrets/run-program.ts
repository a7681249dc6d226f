import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

import type { Environment } from "../config/canonical/expand.ts";

/** One run of a program: its command line, and what it reads from standard input. */
export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A keychain may ask the user for a password, but a client waits for the start. */
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_CHARS = 64 * 1024;

/** Runs a program to its end. Rejects if it cannot be started or does not end in time. */
export async function runProgram(
  { program, args, input }: ProgramRun,
  env: Environment,
  timeoutMs = TIMEOUT_MS,
): Promise<ProgramResult> {
  const path = programPath(program, env);
  if (path === undefined) throw new Error("not found on the PATH");
  const child = spawn(path, [...args], {
    env: env as NodeJS.ProcessEnv,
    stdio: "pipe",
    windowsHide: true,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(0, MAX_OUTPUT_CHARS);
    });
  // The exit code explains why a program did not read its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>(
    (resolve, reject) => {
      child.on("error", reject);
      child.on("close", (exit, ended) => resolve({ code: exit, signal: ended }));
    },
  );
  if (signal !== null) throw new Error(`no answer within ${timeoutMs / 1000} seconds`);
  return { code, ...output };
}

/**
 * The path of a program; undefined if there is none. Relative folders on the PATH are ignored: the
 * current folder would choose the program.
 */
export function programPath(program: string, env: Environment): string | undefined {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const paths = isAbsolute(program) ? [program] : folders.map((folder) => join(folder, program));
  return paths.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
