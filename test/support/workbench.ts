/** Starts the built program as a client would, in its own folders, and cleans up afterwards. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newFolder } from "./new-folder.ts";
import { LEGACY } from "./clients/json-rpc.ts";
import type { Disposables } from "./disposables.ts";
import { endAndCheck } from "./hygiene.ts";
import { killIfAlive, MARKER_VARIABLE, processesOf, type ProcessInfo } from "./proc.ts";
import { type Exit, type Params, RawClient, type Responder } from "./raw-client.ts";
import { runProgram } from "./run-program.ts";
import { type Config, type ServerEntry, type Servers, Witness } from "./servers.ts";

export const PROGRAM = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
export { LEGACY as LATEST_LEGACY } from "./clients/json-rpc.ts";

/** Everything a client needs to start the program, and the folders it will use. */
export interface Place {
  readonly dir: string;
  readonly home: string;
  readonly configFile: string;
  readonly marker: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Writes another configuration, with the servers marked like the first ones. */
  writeConfig(config: Config | string): void;
  witness(toolbox: string, server: string): Witness;
  /** The processes of all servers that run now. */
  servers(): ProcessInfo[];
}

export interface PlaceOptions {
  /** Arguments of the program; `serve --config FILE` when not given. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The program to start; the built one when not given. */
  readonly program?: string;
}

export interface StartOptions extends PlaceOptions {
  readonly cwd?: string;
  readonly protocolVersion?: string;
  readonly capabilities?: Params;
  readonly responders?: Readonly<Record<string, Responder>>;
  /** False leaves the handshake to the test. */
  readonly initialize?: false;
}

export interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: Params;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly instructions?: string;
}

export interface RunningWorkbench extends Place {
  readonly client: RawClient;
  readonly pid: number;
  /** What the program answered to `initialize`. */
  readonly hello: InitializeResult;
  /** Ends stdin, waits for the exit, and checks what must hold after every run. */
  stop(): Promise<Exit>;
}

/** A new folder that is removed with the disposables. */
export function temporaryFolder(disposables: Disposables): string {
  const dir = newFolder("mcp-workbench-test");
  disposables.defer(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}

/** Writes the configuration (an object, or a text as it is) and prepares the folders. */
export function prepareWorkbench(
  disposables: Disposables,
  config: Config | string,
  { args, env = {}, program = PROGRAM }: PlaceOptions = {},
): Place {
  if (!existsSync(program)) throw new Error(`${program} is missing: run "npm run build" first`);
  const dir = temporaryFolder(disposables);
  const marker = randomUUID();
  const home = join(dir, "home");
  const witnessFile = (toolbox: string, server: string): string =>
    join(dir, "witness", `${toolbox}__${server}.jsonl`);
  for (const folder of ["home", "witness"]) mkdirSync(join(dir, folder));
  const configFile = join(dir, "workbench-config.json");
  const mark = (entry: ServerEntry, toolbox: string, server: string): ServerEntry => ({
    ...entry,
    env: { [MARKER_VARIABLE]: marker, WITNESS: witnessFile(toolbox, server), ...entry.env },
  });
  const writeConfig = (next: Config | string): void =>
    writeFileSync(
      configFile,
      typeof next === "string" ? next : JSON.stringify(markServers(next, mark)),
    );
  writeConfig(config);
  // Nothing stays behind, even after a failure that left something running.
  disposables.defer(() => {
    for (const { pid } of processesOf(marker)) killIfAlive(pid);
  });
  return {
    dir,
    home,
    configFile,
    marker,
    command: process.execPath,
    args: [program, ...(args ?? ["serve", "--config", configFile])],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      XDG_CONFIG_HOME: join(dir, "config"),
      XDG_STATE_HOME: join(dir, "state"),
      XDG_CACHE_HOME: join(dir, "cache"),
      ...(args !== undefined && { WORKBENCH_CONFIG: configFile }),
      ...env,
    },
    writeConfig,
    witness: (toolbox, server) => new Witness(witnessFile(toolbox, server)),
    servers: () => processesOf(marker),
  };
}

function markServers(
  config: Config,
  mark: (entry: ServerEntry, toolbox: string, server: string) => ServerEntry,
): Config {
  const isLocal = (entry: Servers[string]): entry is ServerEntry => "command" in entry;
  const toolboxes = Object.entries(config.toolboxes).map(([name, toolbox]) => {
    const servers = Object.entries(toolbox.mcpServers).map(
      ([server, entry]) => [server, isLocal(entry) ? mark(entry, name, server) : entry] as const,
    );
    return [name, { ...toolbox, mcpServers: Object.fromEntries(servers) }] as const;
  });
  return { ...config, toolboxes: Object.fromEntries(toolboxes) };
}

export async function startWorkbench(
  disposables: Disposables,
  config: Config | string,
  options: StartOptions = {},
): Promise<RunningWorkbench> {
  return startIn(disposables, prepareWorkbench(disposables, config, options), options);
}

/** Starts the program in a place where it may have run before. */
export async function startIn(
  disposables: Disposables,
  place: Place,
  options: StartOptions = {},
): Promise<RunningWorkbench> {
  const child = spawn(place.command, place.args, {
    cwd: options.cwd ?? place.dir,
    env: place.env,
    stdio: "pipe",
  });
  const client = new RawClient(child);
  for (const [method, responder] of Object.entries(options.responders ?? {})) {
    client.responders.set(method, responder);
  }

  let stopped: Promise<Exit> | undefined;
  const stop = (): Promise<Exit> => (stopped ??= endAndCheck(place, client, "stdin"));
  disposables.defer(stop);

  const hello = options.initialize === false ? unknownHello : await initialize(client, options);
  return { ...place, client, pid: client.pid, hello, stop };
}

/** Runs a command of the program to its end. */
export function runCommand(
  place: Place,
  ...args: readonly string[]
): { code: number | null; stdout: string; stderr: string } {
  const [program = ""] = place.args;
  const { status, stdout, stderr } = runProgram(
    place.command,
    [program, ...args, "--config", place.configFile],
    { cwd: place.dir, env: place.env },
  );
  return { code: status, stdout, stderr };
}

const unknownHello: InitializeResult = {
  protocolVersion: "not initialized",
  capabilities: {},
  serverInfo: { name: "not initialized", version: "" },
};

/** The legacy handshake. */
export async function initialize(
  client: RawClient,
  { protocolVersion = LEGACY, capabilities = {} }: StartOptions = {},
): Promise<InitializeResult> {
  const response = await client.request("initialize", {
    protocolVersion,
    capabilities,
    clientInfo: { name: "raw-client", version: "1.0.0" },
  });
  if (response.error) throw new Error(`initialize failed: ${response.line}`);
  client.notify("notifications/initialized");
  return response.result as InitializeResult;
}
