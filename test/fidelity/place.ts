/** Where the clients of a column connect: to the workbench, or to the server itself. */
import { fileURLToPath } from "node:url";
import { Disposables } from "../support/disposables.ts";
import { type ServerEntry, publicServer } from "../support/servers.ts";
import { prepareWorkbench } from "../support/workbench.ts";
import type { Endpoint } from "./clients/client.ts";
import type { Column, ServerKind } from "./columns.ts";
import { SERVER, TOOLBOX } from "./subject.ts";

export interface Place {
  /** Where to connect; `isolated` for the server that has a process for each client. */
  endpoint(isolated: boolean): Endpoint;
  close(): Promise<void>;
}

const fixture = (name: string): ServerEntry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))],
});

const ENTRIES: Readonly<Record<ServerKind, ServerEntry>> = {
  everything: publicServer("everything"),
  "dual-era": fixture("dual-era"),
  "modern-only": fixture("modern-only"),
};

/** The toolbox whose server runs once for every client. */
const ISOLATED_TOOLBOX = "own";

export async function openPlace(column: Column): Promise<Place> {
  const disposables = new Disposables();
  const close = (): Promise<void> => disposables.dispose();
  const { server, mode } = column;
  const entry = ENTRIES[server];
  if (mode === "direct") {
    const { command, args = [] } = entry;
    const env = { PATH: process.env["PATH"] ?? "" };
    const endpoint: Endpoint = { transport: "stdio", command, args, env, cwd: process.cwd() };
    return { endpoint: () => endpoint, close };
  }
  const toolbox = (own: ServerEntry) => ({ description: "Test", mcpServers: { [SERVER]: own } });
  const config = {
    toolMode: mode === "dynamic" ? ("dynamic" as const) : ("proxy" as const),
    toolboxes: {
      [TOOLBOX]: toolbox(entry),
      [ISOLATED_TOOLBOX]: toolbox({ ...entry, isolation: "session" }),
    },
  };
  const place = prepareWorkbench(disposables, config);
  const scope =
    mode === "transparent" ? ["--server", `${TOOLBOX}/${SERVER}`] : ["--toolbox", TOOLBOX];
  const endpoint: Endpoint = {
    transport: "stdio",
    command: place.command,
    args: [...place.args, ...scope],
    env: place.env,
    cwd: place.dir,
  };
  return { endpoint: () => endpoint, close };
}
