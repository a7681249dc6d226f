import { spawn } from "node:child_process";

import { programPath } from "../secrets/run-program.ts";
import type { HostInfo } from "./paths.ts";

/**
 * Finds a program on the PATH. On Windows only executables count: batch files need a shell, and
 * nothing from a configuration is ever passed to a shell.
 */
export function findProgram(binary: string, { platform, env }: HostInfo): string | undefined {
  return programPath(platform === "win32" ? `${binary}.exe` : binary, env);
}

/** The values of the placeholders in an argument template, by name. */
export interface ProgramValues {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly variable?: string;
  readonly authorization?: string;
  readonly json?: string;
}

/** Fills in an argument template; `{args}` expands to all arguments. */
export function fillArguments(
  template: readonly string[],
  { args = [], ...values }: ProgramValues,
): readonly string[] {
  const texts: Readonly<Record<string, string | undefined>> = values;
  return template.flatMap((word) => {
    if (word === "{args}") return args;
    return [word.replace(/\{(\w+)\}/, (all, name: string) => texts[name] ?? all)];
  });
}

const TIMEOUT_MS = 20_000;
const OUTPUT_KEPT = 2_000;

/** Runs a client's own program; undefined if it succeeded, otherwise the end of its output. */
export async function runProgram(
  path: string,
  args: readonly string[],
  host: HostInfo,
  timeoutMs = TIMEOUT_MS,
): Promise<string | undefined> {
  return await new Promise((done) => {
    let output = "";
    const child = spawn(path, args, {
      cwd: host.home,
      env: { ...host.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", (error) => done(error.message));
    child.on("close", (code, signal) => {
      if (code === 0) done(undefined);
      else done(output.trim() || `it ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}
