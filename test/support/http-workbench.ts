/** Starts the built program over HTTP, on a port of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Disposables } from "./disposables.ts";
import { HttpClient } from "./http-client.ts";
import { alive, waitFor } from "./proc.ts";
import { type Exit, GENEROUS_MS } from "./raw-client.ts";
import type { Config } from "./servers.ts";
import { Transcript } from "./transcript.ts";
import { type Place, prepareWorkbench } from "./workbench.ts";

export interface HttpWorkbenchOptions {
  /** Further arguments of the program. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where to listen; any free port of the loopback interface when not given. */
  readonly address?: string;
}

export interface HttpWorkbench extends Place {
  readonly pid: number;
  readonly port: number;
  /** Without a path. */
  readonly url: string;
  /** What clients have to show; undefined with `--no-auth`. */
  readonly token: string | undefined;
  readonly exited: Promise<Exit>;
  stderr(): string;
  /** A client without a session yet. */
  client(path?: string): HttpClient;
  kill(signal: NodeJS.Signals): void;
  /** Ends the program, and checks what must hold after every run. */
  stop(): Promise<Exit>;
}

/** Traces of an error that nobody handled. */
const UNHANDLED =
  /UnhandledPromiseRejection|uncaughtException|MaxListenersExceeded|ERR_UNHANDLED|\s+at .*\.cjs:\d+/;

export async function startHttpWorkbench(
  disposables: Disposables,
  config: Config,
  { args = [], env = {}, address = "127.0.0.1:0" }: HttpWorkbenchOptions = {},
): Promise<HttpWorkbench> {
  const place = prepareWorkbench(disposables, config, { env });
  const all = [...place.args, "--http", address, ...args];
  const child = spawn(place.command, all, {
    cwd: place.dir,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = listenTo(child);
  const transcript = new Transcript(`process ${child.pid}`, () => said.stderr);
  const exited = once(child, "close").then(([code, signal]) => {
    transcript.note(`exit code ${code}, signal ${signal}`);
    transcript.close();
    return { code, signal } as Exit;
  });
  let stopped: Promise<Exit> | undefined;
  const stop = (): Promise<Exit> => (stopped ??= endAndCheck(place, child, exited, said));
  disposables.defer(stop);
  const url = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the program ended:\n${said.stderr}`);
      return /listens on (http:\S+)/.exec(said.stderr)?.[1];
    },
    GENEROUS_MS,
    "the program to listen",
  );
  const token = tokenOf(place, args, env);
  return {
    ...place,
    pid: child.pid ?? -1,
    port: Number(new URL(url).port),
    url,
    token,
    exited,
    stderr: () => said.stderr,
    client: (path = "/mcp") => new HttpClient(`${url}${path}`, token, transcript),
    kill: (signal) => void child.kill(signal),
    stop,
  };
}

interface Said {
  stdout: string;
  stderr: string;
}

function listenTo(child: ChildProcess): Said {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  return said;
}

function tokenOf(
  place: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (args.includes("--no-auth")) return undefined;
  const variable = args[args.indexOf("--token-env") + 1];
  if (args.includes("--token-env") && variable !== undefined) return env[variable];
  return readFileSync(tokenFile(place), "utf8").trim();
}

export function tokenFile(place: Place): string {
  return join(place.env["XDG_STATE_HOME"] ?? "", "mcp-workbench", "token");
}

async function endAndCheck(
  place: Place,
  child: ChildProcess,
  exited: Promise<Exit>,
  said: Said,
): Promise<Exit> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), GENEROUS_MS);
  const exit = await exited;
  clearTimeout(force);
  const problems: string[] = [];
  if (exit.signal === "SIGKILL" && child.killed) problems.push("it did not end by itself");
  if (said.stdout !== "") problems.push(`on stdout: ${said.stdout}`);
  if (UNHANDLED.test(said.stderr)) problems.push("an unhandled error on stderr");
  const areGone = (): boolean => !place.servers().some(({ pid }) => alive(pid));
  await waitFor(areGone, GENEROUS_MS, "servers to end").catch(() =>
    problems.push(`processes left behind: ${JSON.stringify(place.servers())}`),
  );
  if (problems.length > 0)
    throw new Error(`${problems.join("\n")}\n--- stderr of the program ---\n${said.stderr}`);
  return exit;
}
