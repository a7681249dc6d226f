/** Starts the built program over HTTP, on a free port. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Disposables } from "./disposables.ts";
import { HttpClient } from "./http-client.ts";
import { endAndCheck } from "./hygiene.ts";
import { type Exit, RawClient } from "./raw-client.ts";
import type { Config } from "./servers.ts";
import { type Place, prepareWorkbench } from "./workbench.ts";

export interface HttpWorkbenchOptions {
  /** Further arguments of the program. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where to listen; any free port of the loopback interface when not given. */
  readonly address?: string;
  /** Called before the program is started, to put files into its folders. */
  readonly before?: (place: Place) => void;
}

export interface HttpWorkbench extends Place {
  readonly pid: number;
  readonly port: number;
  /** Without a path. */
  readonly url: string;
  /** The token that clients must send; undefined with `--no-auth`. */
  readonly token: string | undefined;
  readonly exited: Promise<Exit>;
  stderr(): string;
  /** A client without a session yet. */
  client(path?: string): HttpClient;
  kill(signal: NodeJS.Signals): void;
  /** Ends the program, and checks what must hold after every run. */
  stop(): Promise<Exit>;
}

export async function startHttpWorkbench(
  disposables: Disposables,
  config: Config,
  { args = [], env = {}, address = "127.0.0.1:0", before = () => {} }: HttpWorkbenchOptions = {},
): Promise<HttpWorkbench> {
  const place = prepareWorkbench(disposables, config, { env });
  before(place);
  const all = [...place.args, "--http", address, ...args];
  const program = new RawClient(
    spawn(place.command, all, { cwd: place.dir, env: place.env, stdio: "pipe" }),
  );
  program.child.stdin.end();
  let stopped: Promise<Exit> | undefined;
  const stop = (): Promise<Exit> => (stopped ??= endAndCheck(place, program, "SIGTERM"));
  disposables.defer(stop);
  const [, url = ""] = await program.when(
    () => /listens on (https?:\S+)/.exec(program.stderr),
    "it listened",
  );
  const token = tokenOf(place, args, env);
  return {
    ...place,
    pid: program.pid,
    port: Number(new URL(url).port),
    url,
    token,
    exited: program.exited,
    stderr: () => program.stderr,
    client: (path = "/mcp") =>
      new HttpClient(`${url}${path}`, token, { transcript: program.transcript }),
    kill: (signal) => program.kill(signal),
    stop,
  };
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
