/** What the program says about itself, asked as a user would ask. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Place } from "../support/workbench.ts";

export interface ServerStatus {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
  readonly restarts: number;
  readonly lastError: string | null;
  readonly stderrTail: readonly string[];
  readonly tools: number | null;
  readonly calls: number;
  readonly errors: number;
}

export interface Status {
  readonly version: string;
  readonly pid: number;
  readonly uptimeMs: number;
  readonly config: string | null;
  readonly configProblem: string | null;
  readonly toolboxes: readonly {
    readonly name: string;
    readonly open: boolean;
    readonly servers: readonly ServerStatus[];
  }[];
  readonly sessions: number;
}

/** The output of `status --json`. */
export async function statusText(place: Place): Promise<string> {
  const [program = ""] = place.args;
  const { stdout } = await promisify(execFile)(place.command, [program, "status", "--json"], {
    env: place.env,
    cwd: place.dir,
  });
  return stdout;
}

/** The status of the one program that was started in this place. */
export async function readStatus(place: Place): Promise<Status> {
  const all = JSON.parse(await statusText(place)) as Status[];
  const own = all.find(({ config }) => config === place.configFile);
  if (own === undefined) throw new Error(`the program is not found: ${JSON.stringify(all)}`);
  return own;
}

export async function serverStatus(place: Place, path: string): Promise<ServerStatus> {
  const [toolbox, server] = path.split("/");
  const { toolboxes } = await readStatus(place);
  const found = toolboxes
    .find(({ name }) => name === toolbox)
    ?.servers.find(({ name }) => name === server);
  if (found === undefined) throw new Error(`the status does not know ${path}`);
  return found;
}
