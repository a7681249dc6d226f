/** Where the clients of a column connect: to the workbench, or to the server itself. */
import { bundledFixture } from "../support/bundled-program.ts";
import { Disposables } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { type Config, type ServerEntry, publicServer } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";
import { prepareWorkbench } from "../support/workbench.ts";
import type { Endpoint } from "../support/clients/matrix-client.ts";
import type { Column, ServerKind } from "./columns.ts";
import { ISOLATED, SERVER, SHARED, type ToolboxName } from "./subject.ts";

export interface Place {
  endpoint(toolbox: ToolboxName): Endpoint;
  /** The name of a toolbox, if it has another one here. */
  nameOf?(toolbox: ToolboxName): string;
  /** Ends what the clients before have left running, if they share it. */
  reset?(): Promise<void>;
  close(): Promise<void>;
}

const fixture = (name: string): ServerEntry => ({
  command: process.execPath,
  args: [bundledFixture(new URL(`servers/${name}.mjs`, import.meta.url))],
});

export const ENTRIES: Readonly<Record<ServerKind, ServerEntry>> = {
  everything: publicServer("everything"),
  "dual-era": fixture("dual-era"),
  "modern-only": fixture("modern-only"),
};

export async function openPlace(column: Column): Promise<Place> {
  const disposables = new Disposables();
  const close = (): Promise<void> => disposables.dispose();
  if (column.mode === "direct") return { endpoint: () => directTo(column.server), close };
  if (column.transport === "shared") return { ...shared(disposables, column), close };
  const endpoint =
    column.transport === "http"
      ? await overHttp(disposables, column)
      : overStdio(disposables, column);
  return { endpoint, close };
}

export function directTo(server: ServerKind): Endpoint {
  const { command, args = [] } = ENTRIES[server];
  const env = { PATH: process.env["PATH"] ?? "" };
  return { transport: "stdio", command, args, env, cwd: process.cwd() };
}

function overStdio(disposables: Disposables, column: Column): Place["endpoint"] {
  const { command, args, env, dir: cwd } = prepareWorkbench(disposables, configOf(column));
  return (toolbox) => {
    const scope =
      column.mode === "transparent" ? ["--server", `${toolbox}/${SERVER}`] : ["--toolbox", toolbox];
    return { transport: "stdio", command, args: [...args, ...scope], env, cwd };
  };
}

/** A server keeps the era of the client that first used it, so each kind of client starts with a new process. */
function shared(disposables: Disposables, column: Column): Pick<Place, "endpoint" | "reset"> {
  const sharing = new SharedPlace(disposables, configOf(column));
  const { command, args, env, dir: cwd } = sharing.place;
  return {
    endpoint: (toolbox) => {
      const scope =
        column.mode === "transparent"
          ? ["--server", `${toolbox}/${SERVER}`]
          : ["--toolbox", toolbox];
      return { transport: "stdio", command, args: [...args, ...scope], env, cwd };
    },
    // Not with the command `stop`, which costs a start of the program for each kind of client.
    reset: () => sharing.end(),
  };
}

async function overHttp(disposables: Disposables, column: Column): Promise<Place["endpoint"]> {
  const { url, token, stderr: log } = await startHttpWorkbench(disposables, configOf(column));
  const headers = { authorization: `Bearer ${token}` };
  return (toolbox) => {
    const path = column.mode === "transparent" ? `${toolbox}/${SERVER}` : toolbox;
    return { transport: "http", url: `${url}/mcp/${path}`, headers, log };
  };
}

function configOf({ server, mode }: Column): Config {
  const entry = ENTRIES[server];
  const toolbox = (own: ServerEntry) => ({ description: "Test", mcpServers: { [SERVER]: own } });
  return {
    toolMode: mode === "dynamic" ? "dynamic" : "proxy",
    toolboxes: {
      [SHARED]: toolbox(entry),
      [ISOLATED]: toolbox({ ...entry, isolation: "session" }),
    },
  };
}
