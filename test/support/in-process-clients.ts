import type { Step } from "../../src/calls/call.ts";
import { serveHttp } from "../../src/serve/http.ts";
import { serverView } from "../../src/serve/client-view.ts";
import { resolveConfig } from "../../src/config/load.ts";
import type { WorkbenchConfig } from "../../src/config/schema.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { messagesIn } from "./clients/events.ts";
import { LEGACY, META, MODERN, type Message, type Params } from "./clients/json-rpc.ts";
import type { Disposables } from "./disposables.ts";
import { HttpClient } from "./http-client.ts";
import { LineClient } from "./line-client.ts";

/** Clients of a workbench in this process, in every mode and era and over every transport. */

export const MODES = ["proxy", "dynamic", "transparent"] as const;
export const ERAS = ["legacy", "modern"] as const;
export const TRANSPORTS = ["stdio", "http"] as const;

export interface Cell {
  readonly mode: (typeof MODES)[number];
  readonly era: (typeof ERAS)[number];
  readonly transport: (typeof TRANSPORTS)[number];
}

export const CELLS: readonly Cell[] = MODES.flatMap((mode) =>
  ERAS.flatMap((era) => TRANSPORTS.map((transport) => ({ mode, era, transport }))),
);

export type Request = (method: string, params?: Params) => Promise<Message>;

export async function inProcessWorkbench(
  cleanup: Disposables,
  config: object,
  mode: Cell["mode"] = "proxy",
  steps: readonly Step[] = [],
): Promise<Workbench> {
  const settings = await resolveConfig(
    {
      toolMode: mode === "dynamic" ? "dynamic" : "proxy",
      log: { level: "silent" },
      ...config,
    } as WorkbenchConfig,
    { env: { PATH: process.env["PATH"] ?? "" }, cwd: "." },
  );
  const workbench = new Workbench(settings, { cache: false, steps });
  cleanup.defer(() => workbench.close());
  return workbench;
}

/** A client that has finished its handshake; `place` is the server of the transparent mode. */
export async function inProcessClient(
  cleanup: Disposables,
  workbench: Workbench,
  { mode, era, transport }: Cell,
  place: { readonly toolbox: string; readonly server: string },
  capabilities: object = {},
): Promise<Request> {
  const scope = workbench.toolboxes;
  const server = workbench.toolboxes.get(place.toolbox)?.servers.get(place.server);
  if (server === undefined) throw new Error("no such server");
  const view = mode === "transparent" ? serverView(workbench, scope, server) : { scope };
  const send =
    transport === "stdio"
      ? overStdio(cleanup, workbench, view)
      : await overHttp(cleanup, workbench, view, era);
  const envelope = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientCapabilities`]: capabilities,
    [`${META}clientInfo`]: { name: "in-process", version: "1.0.0" },
  };
  const request: Request = (method, params = {}) =>
    send(method, era === "modern" ? { ...params, _meta: envelope } : params);
  if (era === "legacy" && transport === "stdio")
    await request("initialize", {
      protocolVersion: LEGACY,
      capabilities,
      clientInfo: { name: "in-process", version: "1.0.0" },
    });
  if (mode === "dynamic" && era === "legacy")
    await request("tools/call", { name: "open_toolbox", arguments: { toolbox: place.toolbox } });
  return request;
}

function overStdio(
  cleanup: Disposables,
  workbench: Workbench,
  view: ReturnType<typeof serverView>,
): Request {
  const client = new LineClient(workbench, view);
  cleanup.defer(() => client.close());
  return (method, params = {}) => client.ask(method, params);
}

async function overHttp(
  cleanup: Disposables,
  workbench: Workbench,
  view: Parameters<typeof serveHttp>[1],
  era: Cell["era"],
): Promise<Request> {
  const address = { host: "127.0.0.1", port: 0 };
  const front = await serveHttp(workbench, view, { address, token: undefined });
  cleanup.defer(() => front.close());
  const http = new HttpClient(`${front.url}/mcp`, undefined);
  if (era === "legacy") {
    await http.initialize();
    return (method, params) => http.ask(method, params);
  }
  return async (method, params) => {
    const { text } = await http.modern(method, params).done();
    return messagesIn(text).at(-1) ?? {};
  };
}
