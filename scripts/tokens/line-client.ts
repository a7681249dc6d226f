import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

type Result = Readonly<Record<string, unknown>>;

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "measure-tokens", version: "1" },
};

/** A plain MCP client over stdio: no library changes what servers send. */
export class LineClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Result) => void>();
  readonly #failure: Promise<never>;
  #lastId = 0;

  constructor({ command, args, env, cwd }: Launch) {
    this.#child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
    const name = [command, ...args].join(" ");
    this.#failure = once(this.#child, "exit").then(([code]) => {
      throw new Error(`${name} ended with exit code ${String(code)}`);
    });
    // It is awaited with each request; without one the end is expected.
    this.#failure.catch(() => {});
    this.#child.stdin?.on("error", () => {});
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#read(line));
  }

  /** The instructions of the server. */
  async initialize(): Promise<string> {
    const { instructions } = await this.request("initialize", INITIALIZE);
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return typeof instructions === "string" ? instructions : "";
  }

  /** The definitions of all tools, from every page. */
  async tools(): Promise<readonly Result[]> {
    const tools: Result[] = [];
    let cursor: unknown;
    do {
      const page = await this.request("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(page["tools"] as Result[]));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    return tools;
  }

  /** The text of the result of a tool. */
  async call(name: string, input: object): Promise<string> {
    const result = await this.request("tools/call", { name, arguments: input });
    const [block] = result["content"] as { text: string }[];
    if (result["isError"] === true) throw new Error(`${name}: ${block?.text}`);
    return block?.text ?? "";
  }

  async request(method: string, params: object): Promise<Result> {
    const id = ++this.#lastId;
    const answer = new Promise<Result>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await Promise.race([answer, this.#failure]);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Result;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    // Some servers ignore the end of their input.
    this.#child.kill("SIGTERM");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await exited;
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #read(line: string): void {
    // Some servers also log to standard output.
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line) as { id?: number };
    if (message.id === undefined) return;
    this.#waiting.get(message.id)?.(message as Result);
    this.#waiting.delete(message.id);
  }
}
