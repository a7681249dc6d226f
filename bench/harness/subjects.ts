import {
  type Answer,
  type CallParams,
  type Connection,
  INITIALIZE,
  ownName,
} from "./connection.ts";
import { within } from "./deadline.ts";
import { HttpClient } from "./http-client.ts";
import { type Command, Program } from "./program.ts";
import { StdioClient } from "./stdio-client.ts";
import { type Setup, WORKBENCH, type Workspace, program } from "./workspace.ts";

/** What is between the client and the tools, if anything. */
export type Subject = (workspace: Workspace, setup: Setup) => Promise<Connection>;

const GREETING_MS = 20_000;
const HTTP_SOCKETS = 128;
const TOKEN = "a-token-for-the-benchmark";

export const throughUseTool: CallParams = (server, tool, args) => ({
  name: "use_tool",
  arguments: { tool: { toolbox: "main", server, name: tool }, arguments: args },
});

export const throughRelay: CallParams = (server, tool, args) => ({
  name: `${server}__${tool}`,
  arguments: args,
});

/** The client talks to the server directly. */
export const direct: Subject = async (_workspace, { called = 1, tools = 3 }) => {
  const command = { args: [program("fixture.mjs"), String(tools)] };
  const connections = await Promise.all(
    Array.from({ length: called }, () => overStdio(command, ownName)),
  );
  const first = connections[0] as Connection;
  return {
    pid: undefined,
    request: (method, params) => first.request(method, params),
    call: (server, tool, args) =>
      (connections[Number(server.slice(1))] ?? first).call(server, tool, args),
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
};

export const pipe: Subject = () => overStdio({ args: [program("pipe.mjs")] }, ownName);

export const relay: Subject = (_workspace, { called = 1 }) =>
  overStdio({ args: [program("relay.mjs"), String(called)] }, throughRelay);

export const proxy: Subject = (workspace, setup) =>
  overStdio(workbench(workspace, setup), throughUseTool);

export const dynamic: Subject = async (workspace, setup) => {
  const connection = await overStdio(
    workbench(workspace, setup, "dynamic"),
    (server, tool, args) => ({
      name: `main__${server}__${tool}`,
      arguments: args,
    }),
  );
  await connection.request("tools/call", { name: "open_toolbox", arguments: { toolbox: "main" } });
  return connection;
};

export const transparent: Subject = (workspace, setup) => {
  const { args, env } = workbench(workspace, setup);
  return overStdio({ args: [...args, "--server", "main/s0"], env }, ownName);
};

export const httpEcho: Subject = async () => {
  const server = await listening({ args: [program("http-echo.mjs")] });
  return overHttp(server, "/", ownName);
};

export const httpRelay: Subject = async () => {
  const server = await listening({ args: [program("http-relay.mjs")] });
  return overHttp(server, "/", ownName);
};

export const httpProxy: Subject = async (workspace, setup) =>
  overHttp(await listening(httpWorkbench(workspace, setup)), "/mcp", throughUseTool);

export const httpTransparent: Subject = async (workspace, setup) =>
  overHttp(await listening(httpWorkbench(workspace, setup)), "/mcp/main/s0", ownName);

/** The command line of the workbench over stdio. */
export function workbench(
  workspace: Workspace,
  setup: Setup,
  mode: "proxy" | "dynamic" = "proxy",
): Command & { env: Record<string, string> } {
  const config = workspace.config(mode, setup);
  const { options = [] } = setup;
  const args = [...workspace.nodeOptions, WORKBENCH, "serve", "--config", config, ...options];
  return { args, env: workspace.env };
}

export function httpWorkbench(workspace: Workspace, setup: Setup): Command {
  const { args, env } = workbench(workspace, setup);
  const http = ["--http", "127.0.0.1:0", "--token-env", "BENCH_TOKEN"];
  return { args: [...args, ...http], env: { ...env, BENCH_TOKEN: TOKEN } };
}

export async function overStdio(
  command: Command,
  params: CallParams,
  patienceMs = GREETING_MS,
): Promise<Connection> {
  const running = new Program(command);
  const client = new StdioClient(running);
  await within(patienceMs, "initialize", client.request("initialize", INITIALIZE));
  client.notify("notifications/initialized");
  return connectionOf(running, client, params, () => running.end());
}

export interface Listening {
  readonly running: Program;
  readonly port: number;
}

export async function listening(command: Command): Promise<Listening> {
  const running = new Program(command);
  const port = Number(await running.says(/127\.0\.0\.1:(\d+)/, GREETING_MS));
  return { running, port };
}

/** One more client of a program that listens. */
export async function httpClient(
  { port }: Listening,
  path: string,
  sockets: number,
): Promise<HttpClient> {
  const client = new HttpClient(port, path, TOKEN, sockets);
  await within(GREETING_MS, "initialize", client.initialize());
  return client;
}

async function overHttp(server: Listening, path: string, params: CallParams): Promise<Connection> {
  const client = await httpClient(server, path, HTTP_SOCKETS);
  return connectionOf(server.running, client, params, async () => {
    client.close();
    await server.running.end();
  });
}

function connectionOf(
  { pid }: Program,
  client: { request(method: string, params: unknown): Promise<Answer> },
  params: CallParams,
  close: () => Promise<void>,
): Connection {
  return {
    pid,
    request: (method, given) => client.request(method, given),
    call: (server, tool, args) => client.request("tools/call", params(server, tool, args)),
    close,
  };
}
