/** Which source files and functions one warm `use_tool` call over stdio executes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A file, relative to `src`, and its named functions in the order of their first execution. */
export interface WalkedFile {
  readonly path: string;
  readonly functions: readonly string[];
}

interface ExecutedFunction {
  readonly script: string;
  readonly path: string;
  readonly name: string;
  readonly start: number;
}

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The first calls connect the server and create what later calls reuse. */
const WARM_UP_CALLS = 5;
/**
 * Timers of the program may run during a call. So only what every one of these calls executes counts,
 * and the order is the one that most of them have.
 */
const MEASURED_CALLS = 10;

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "walk", version: "1" },
};
const ECHO = {
  name: "use_tool",
  arguments: {
    tool: { toolbox: "walk", server: "fixture", name: "echo" },
    arguments: { text: "hello" },
  },
};

/** The program, run from its sources with the recorder inside. */
class RecordedProgram {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: unknown) => void>();
  readonly #exit: Promise<never>;
  #lastId = 0;

  constructor(configFile: string, home: string) {
    const recorder = new URL("recorder.mjs", import.meta.url).href;
    const args = ["--import", "tsx", "--import", recorder, pathOf("src/cli/main.ts")];
    this.#child = spawn(process.execPath, [...args, "serve", "--config", configFile], {
      stdio: ["pipe", "pipe", "inherit", "ipc"],
      cwd: pathOf("."),
      env: { PATH: process.env["PATH"], HOME: home, XDG_CACHE_HOME: home, XDG_STATE_HOME: home },
    });
    this.#exit = once(this.#child, "exit").then(([code]) => {
      throw new Error(`The program ended with code ${code}`);
    });
    this.#exit.catch(() => {});
    const lines = createInterface({ input: this.#child.stdout! });
    lines.on("line", (line) => {
      const message = JSON.parse(line) as { id?: number };
      if (message.id === undefined) return;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  request(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.notify(method, params, id);
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    return Promise.race([answer, this.#exit]);
  }

  notify(method: string, params: object, id?: number): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  }

  async record<T>(command: string, argument?: unknown): Promise<T> {
    const answer = new Promise<{ result: T }>((resolve) =>
      this.#child.once("message", (message) => resolve(message as { result: T })),
    );
    this.#child.send({ command, argument });
    return (await Promise.race([answer, this.#exit])).result;
  }

  async close(): Promise<void> {
    this.#child.stdin!.end();
    await this.#exit.catch(() => {});
  }
}

/** Runs the program once and returns the files of the call in the order of their first execution. */
export async function measureWalk(): Promise<WalkedFile[]> {
  const home = mkdtempSync(join(tmpdir(), "walk-"));
  const configFile = join(home, "workbench.json");
  const server = {
    command: process.execPath,
    args: [pathOf("test/fixtures/tools-server.mjs")],
  };
  writeFileSync(
    configFile,
    JSON.stringify({
      toolboxes: { walk: { description: "One server", mcpServers: { fixture: server } } },
    }),
  );
  const program = new RecordedProgram(configFile, home);
  try {
    return await walk(program);
  } finally {
    await program.close();
    rmSync(home, { recursive: true });
  }
}

async function walk(program: RecordedProgram): Promise<WalkedFile[]> {
  await program.request("initialize", INITIALIZE);
  program.notify("notifications/initialized", {});
  await program.record("start");
  for (let i = 0; i < WARM_UP_CALLS; i += 1) await callEcho(program);
  await program.record("executed");
  const calls: ExecutedFunction[][] = [];
  for (let i = 0; i < MEASURED_CALLS; i += 1) {
    await callEcho(program);
    calls.push(await program.record<ExecutedFunction[]>("executed"));
  }
  const functions = inEvery(calls);
  await program.record("watchOrder", functions);
  const walks: WalkedFile[][] = [];
  for (let i = 0; i < MEASURED_CALLS; i += 1) {
    await callEcho(program);
    walks.push(byFile(functions, await program.record<number[]>("order")));
  }
  return mostCommon(walks);
}

async function callEcho(program: RecordedProgram): Promise<void> {
  const answer = JSON.stringify(await program.request("tools/call", ECHO));
  if (!answer.includes("hello")) throw new Error(`The call failed: ${answer}`);
}

const keyOf = ({ script, start, name }: ExecutedFunction): string => `${script}:${start}:${name}`;

function inEvery([first = [], ...others]: readonly ExecutedFunction[][]): ExecutedFunction[] {
  const rest = others.map((call) => new Set(call.map(keyOf)));
  return first.filter((fn) => rest.every((keys) => keys.has(keyOf(fn))));
}

/** The walk whose order of files occurs most often. */
function mostCommon(walks: readonly WalkedFile[][]): WalkedFile[] {
  const byOrder = new Map<string, WalkedFile[][]>();
  for (const walk of walks) {
    const order = walk.map(({ path }) => path).join();
    byOrder.set(order, [...(byOrder.get(order) ?? []), walk]);
  }
  const [most] = [...byOrder.values()].toSorted((one, other) => other.length - one.length);
  return most?.[0] ?? [];
}

function byFile(functions: readonly ExecutedFunction[], order: readonly number[]): WalkedFile[] {
  // Functions without a place for a breakpoint, such as initializers of fields, follow at the end.
  const sequence = new Set([...order, ...functions.keys()]);
  const files = new Map<string, Set<string>>();
  for (const index of sequence) {
    const { path, name } = functions[index]!;
    const names = files.get(path) ?? new Set<string>();
    files.set(path, names);
    if (name !== "" && !name.startsWith("<")) names.add(name);
  }
  return [...files].map(([path, names]) => ({ path, functions: [...names] }));
}
