/** The programs under load, and the servers they have. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Disposables } from "../../support/disposables.ts";
import { waitFor } from "../../support/proc.ts";
import { type Config, type Servers, toolbox, withOptions } from "../../support/servers.ts";
import { type Place, prepareWorkbench, PROGRAM } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import { Pipe } from "../fuzz/pipe.ts";
import { StdioCaller } from "./stdio-caller.ts";

/** Long enough for the machine, short enough to be seen in a short run. */
export const HANG_MS = 1500;
const FRAGILE = { timeouts: { callMs: HANG_MS, totalMs: 2 * HANG_MS } };
const PATIENT = { timeouts: { callMs: 30_000, totalMs: 60_000 } };

/** The one server without any fault: each of its calls has to succeed. */
export const STEADY = "steady";
export const VICTIMS = ["victim-1", "victim-2", "victim-3"] as const;

const named = (name: string, ...options: readonly string[]): ReturnType<typeof chaos> =>
  // Recording every message for ten minutes would fill the disk.
  withOptions(chaos("--name", name, "--life", "100000", ...options), { env: { WITNESS: "" } });

const CALM_SERVERS: Servers = { [STEADY]: withOptions(named(STEADY), PATIENT) };
const FAULTY_SERVERS: Servers = {
  ...Object.fromEntries(VICTIMS.map((name) => [name, withOptions(named(name), FRAGILE)])),
  hangs: withOptions(named("hangs", "--hang", "call"), FRAGILE),
  floods: withOptions(
    named("floods", "--flood-notify", "5000", "--flood-list-changed", "5000"),
    PATIENT,
  ),
  noisy: withOptions(named("noisy", "--flood-stderr", "5m"), PATIENT),
  changing: withOptions(named("changing"), FRAGILE),
};
export const FAULTY = Object.keys(FAULTY_SERVERS);

/** The configuration; the server `changing` differs in each generation. */
export function configOf(generation: number): Config {
  const changing = withOptions(named("changing", "--tools", String(generation % 5)), FRAGILE);
  return {
    timeouts: { connectMs: 20_000, shutdownMs: 1000 },
    http: { sessionIdleMs: 5000, sessions: 200 },
    log: { level: "info" },
    audit: { enabled: true },
    toolboxes: { calm: toolbox(CALM_SERVERS), dev: toolbox({ ...FAULTY_SERVERS, changing }) },
  };
}

const HEAP_PROBE = fileURLToPath(new URL("heap-probe.cjs", import.meta.url));
const TOKEN_VARIABLE = "SOAK_TOKEN";

/** A place whose program reports how much memory is in use after a collection. */
function probedPlace(disposables: Disposables, args: readonly string[], token = ""): Place {
  const place = prepareWorkbench(disposables, configOf(0));
  return {
    ...place,
    args: [
      "--expose-gc",

      "--require",
      HEAP_PROBE,
      PROGRAM,
      ...args,
      "--config",
      place.configFile,
    ],
    env: { ...place.env, SOAK_HEAP_FILE: heapFile(place), [TOKEN_VARIABLE]: token },
  };
}

const heapFile = (place: Place): string => join(place.dir, "heap.json");

/** A program that runs from beginning to end, and what it uses. */
export interface Lasting {
  readonly name: string;
  readonly place: Place;
  readonly pipe: Pipe;
}

/** Megabytes in use once everything that is dead has been collected. */
export async function heapOf({ place, pipe }: Lasting): Promise<number> {
  const read = (): { sample: number; bytes: number } => {
    try {
      return JSON.parse(readFileSync(heapFile(place), "utf8")) as { sample: number; bytes: number };
    } catch {
      return { sample: 0, bytes: 0 };
    }
  };
  const before = read().sample;
  pipe.child.kill("SIGUSR2");
  await waitFor(() => read().sample > before, 30_000, "the heap to be measured");
  return read().bytes / 1024 ** 2;
}

export interface HttpWorld extends Lasting {
  readonly url: string;
  readonly token: string;
}

export async function startHttp(disposables: Disposables): Promise<HttpWorld> {
  const token = randomUUID();
  const args = ["serve", "--http", "127.0.0.1:0", "--token-env", TOKEN_VARIABLE];
  const place = probedPlace(disposables, args, token);
  const pipe = new Pipe(place, () => {});
  disposables.defer(() => pipe.kill());
  const listening = (): string | undefined => /listens on (http:\S+)/.exec(pipe.stderr)?.[1];
  await pipe.until(
    () => listening() !== undefined,
    20_000,
    () => "I1 it does not listen",
  );
  return { name: "http", place, pipe, url: listening() ?? "", token };
}

/** How many sessions of clients there are. */
export async function sessionsOf({ url, token }: HttpWorld): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/status`, { headers });
  return ((await response.json()) as { sessions: number }).sessions;
}

export interface StdioWorld extends Lasting {
  readonly caller: StdioCaller;
}

export async function startStdio(disposables: Disposables, name: string): Promise<StdioWorld> {
  const place = probedPlace(disposables, ["serve"]);
  const caller = new StdioCaller(place);
  disposables.defer(() => caller.pipe.kill());
  await caller.initialize();
  return { name, place, pipe: caller.pipe, caller };
}
