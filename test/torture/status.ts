/** The program's status, as a user would get it. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text as textFrom } from "node:stream/consumers";
import { promisify } from "node:util";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import type { Place } from "../support/workbench.ts";

export interface ServerStatus {
  readonly name: string;
  readonly state: string;
  readonly pid: number | null;
  readonly restarts: number;
  readonly lastError: string | null;
  readonly lastErrorCode: string | null;
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

/** Where the running programs of a user publish their status. */
const presenceFolder = ({ env }: Place): string =>
  join(env["XDG_STATE_HOME"] ?? "", "mcp-workbench", "run");

/** The same as `readStatus` from its source, without starting a program. */
export async function readStatusAtOnce(place: Place): Promise<Status> {
  const folder = presenceFolder(place);
  if (!existsSync(folder)) return readStatus(place);
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const { socket } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { socket: string };
  return JSON.parse(await textFrom(connect(socket))) as Status;
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
  const find = async (): Promise<Status | undefined> =>
    (JSON.parse(await statusText(place)) as Status[]).find(
      ({ config }) => config === place.configFile,
    );
  // One that cannot answer within two seconds is left out.
  const own = existsSync(presenceFolder(place))
    ? await waitFor(find, GENEROUS_MS, "the status of the program")
    : await find();
  if (own === undefined) throw new Error("the program is not found");
  return own;
}

export async function serverStatus(
  place: Place,
  path: string,
  read: (place: Place) => Promise<Status> = readStatus,
): Promise<ServerStatus> {
  const [toolbox, server] = path.split("/");
  const { toolboxes } = await read(place);
  const found = toolboxes
    .find(({ name }) => name === toolbox)
    ?.servers.find(({ name }) => name === server);
  if (found === undefined) throw new Error(`the status does not know ${path}`);
  return found;
}

export function serverStatusAtOnce(place: Place, path: string): Promise<ServerStatus> {
  return serverStatus(place, path, readStatusAtOnce);
}
