/** Servers and clients of both eras, over stdio and HTTP, with a workbench in each mode between them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { EraClient } from "../support/clients/era-client.ts";
import type { Endpoint, Era } from "../support/clients/matrix-client.ts";
import type { Disposables } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { Config, RemoteEntry, ServerEntry } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";
import { prepareWorkbench } from "../support/workbench.ts";

const SERVER = fileURLToPath(new URL("../fixtures/bytes-server.mjs", import.meta.url));
export const OPEN = { name: "open_toolbox", arguments: { toolbox: "box" } };

export const ERAS = ["legacy", "modern"] as const;
const TRANSPORTS = ["stdio", "http"] as const;
/** How clients are connected; `shared`: over stdio, through the process that clients share. */
export const CLIENTS_BY = [...TRANSPORTS, "shared"] as const;
/** The names of the servers: their era and transport. */
export const SERVERS = ERAS.flatMap((era) => TRANSPORTS.map((by) => `${era}-${by}`));

export class PathClients {
  readonly #cleanup: Disposables;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #clients = new Map<string, Promise<EraClient>>();

  private constructor(cleanup: Disposables) {
    this.#cleanup = cleanup;
  }

  static async start(cleanup: Disposables): Promise<PathClients> {
    const clients = new PathClients(cleanup);
    const remote = await Promise.all(ERAS.map((era) => startRemote(cleanup, era)));
    const servers: Record<string, ServerEntry | RemoteEntry> = {};
    for (const [i, era] of ERAS.entries()) {
      servers[`${era}-stdio`] = { command: process.execPath, args: [SERVER, "--era", era] };
      servers[`${era}-http`] = { url: remote[i] ?? "" };
    }
    const toolboxes = { box: { description: "Test", mcpServers: servers } };
    await clients.#addWorkbench({ toolMode: "dynamic", toolboxes });
    await clients.#addWorkbench({ toolMode: "proxy", toolboxes });
    return clients;
  }

  /** A client of the server, which opens its toolbox if necessary. */
  at(mode: string, by: string, server: string, era: Era): Promise<EraClient> {
    const place = mode === "transparent" ? `${mode} ${server} ${by}` : `${mode} ${by}`;
    const key = `${place} ${era}`;
    const known = this.#clients.get(key) ?? this.#connect(place, era);
    this.#clients.set(key, known);
    return known;
  }

  async #addWorkbench(config: Config): Promise<void> {
    const { toolMode = "proxy" } = config;
    const { url, token } = await startHttpWorkbench(this.#cleanup, config);
    const headers = { authorization: `Bearer ${token}` };
    const { command, args, env, dir: cwd } = prepareWorkbench(this.#cleanup, config);
    const { place } = new SharedPlace(this.#cleanup, config);
    const shared = { command, args: place.args, env: place.env, cwd: place.dir };
    const add = (mode: string, path: string, scope: readonly string[]): void => {
      this.#endpoints.set(`${mode} http`, {
        transport: "http",
        url: `${url}/mcp/${path}`,
        headers,
      });
      const all = [...args, ...scope];
      this.#endpoints.set(`${mode} stdio`, { transport: "stdio", command, args: all, env, cwd });
      const sharing = [...shared.args, ...scope];
      this.#endpoints.set(`${mode} shared`, { ...shared, transport: "stdio", args: sharing });
    };
    add(toolMode, "box", ["--toolbox", "box"]);
    if (toolMode !== "proxy") return;
    for (const server of SERVERS)
      add(`transparent ${server}`, `box/${server}`, ["--server", `box/${server}`]);
  }

  async #connect(place: string, era: Era): Promise<EraClient> {
    const endpoint = this.#endpoints.get(place);
    if (endpoint === undefined) throw new Error(`no such endpoint: ${place}`);
    const client = await EraClient.connect(endpoint, era);
    this.#cleanup.defer(() => client.close());
    if (!place.startsWith("transparent") && era === "legacy")
      await client.request("tools/call", OPEN);
    return client;
  }
}

/** The address of a server of this era over HTTP. */
async function startRemote(cleanup: Disposables, era: Era): Promise<string> {
  const child = spawn(process.execPath, [SERVER, "--era", era, "--http"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanup.defer(() => child.kill());
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return url;
}
