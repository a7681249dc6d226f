import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { answer } from "./user.mjs";

const CLIENT_INFO = { name: "conformance-driver", version: "1.0.0" };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const MODERN_ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
  "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
};
const MAX_ROUNDS = 8;

/** A minimal MCP client of either era for a Node program that serves over stdio. */
export class StdioClient {
  #child;
  #era;
  #waiting = new Map();
  #nextId = 1;
  /** Why there are no more answers. */
  #end;

  constructor(args, era, env, onStderr) {
    this.#era = era;
    const stderr = onStderr === undefined ? "inherit" : "pipe";
    this.#child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", stderr] });
    this.#child.stderr?.setEncoding("utf8").on("data", onStderr);
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#receive(JSON.parse(line)),
    );
    // The end of the program is reported by its requests.
    this.#child.stdin.on("error", () => {});
    this.#child.on("exit", (code, signal) => {
      this.#end = new Error(`The workbench ended with ${code ?? signal}`);
      for (const { reject } of this.#waiting.values()) reject(this.#end);
    });
  }

  async connect() {
    if (this.#era === "modern") {
      await this.request("server/discover", {});
      return;
    }
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: CAPABILITIES,
      clientInfo: CLIENT_INFO,
    });
    this.#send({ method: "notifications/initialized" });
  }

  /** Resolves to the result, after as many rounds as the server needs. */
  async request(method, params) {
    let result = await this.#ask(method, params);
    for (let round = 1; result.resultType === "input_required"; round++) {
      if (round > MAX_ROUNDS) throw new Error(`${method} never ends asking`);
      const inputResponses = Object.fromEntries(
        Object.entries(result.inputRequests).map(([key, asked]) => [key, answer(asked)]),
      );
      const { requestState } = result;
      const state = requestState === undefined ? {} : { requestState };
      result = await this.#ask(method, { ...params, inputResponses, ...state });
    }
    return result;
  }

  /** Like request, but a result that reports an error is an error. */
  async callTool(name, args) {
    const result = await this.request("tools/call", { name, arguments: args });
    if (result.isError) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`);
    return result;
  }

  async close() {
    this.#child.stdin.end();
    if (this.#end === undefined) await once(this.#child, "exit");
  }

  #ask(method, params) {
    const id = this.#nextId++;
    const sent = this.#era === "modern" ? { ...params, _meta: MODERN_ENVELOPE } : params;
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params: sent });
    });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #receive({ id, method, params, result, error }) {
    if (method !== undefined) {
      if (id !== undefined) this.#send({ id, result: answer({ method, params }) });
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(`${error.code}: ${error.message}`));
    else waiting?.resolve(result);
  }
}
