/**
 * Where the clients over HTTP connect: to a workbench, or to two replicas behind a load balancer that sends each
 * request to the next one, with a Redis of their own.
 */
import { ClusterRig } from "../support/cluster-rig.ts";
import { Disposables } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { Config, ServerEntry } from "../support/servers.ts";
import { type Column, COLUMNS, REPLICA_COLUMNS } from "./columns.ts";
import { ENTRIES, type Place } from "./place.ts";
import { ISOLATED, ONCE, SERVER, SHARED, type ToolboxName } from "./subject.ts";

type ToolMode = "proxy" | "dynamic";

interface Started {
  readonly url: string;
  readonly token: string | undefined;
  readonly log: () => string;
}

/**
 * Columns share what is started, each with toolboxes and servers of its own: one workbench, and one pair of replicas, for each
 * mode of tools. A workbench that has run for a while is much cheaper than one for each column.
 */
export class HttpPlaces {
  readonly #disposables = new Disposables();
  readonly #started = new Map<string, Promise<Started>>();

  async place(column: Column): Promise<Place> {
    const toolMode = toolModeOf(column);
    const key = `${column.transport} ${toolMode}`;
    const starting = this.#started.get(key) ?? this.#start(column.transport, toolMode);
    this.#started.set(key, starting);
    const { url, token, log } = await starting;
    const headers = { authorization: `Bearer ${token}` };
    return {
      nameOf: (toolbox) => toolboxName(toolbox, column),
      endpoint: (toolbox) => {
        const name = toolboxName(toolbox, column);
        const path = column.mode === "transparent" ? `${name}/${SERVER}` : name;
        return { transport: "http", url: `${url}/mcp/${path}`, headers, log };
      },
      close: async () => {},
    };
  }

  close(): Promise<void> {
    return this.#disposables.dispose();
  }

  async #start(transport: Column["transport"], toolMode: ToolMode): Promise<Started> {
    if (transport === "http") {
      const columns = COLUMNS.filter((column) => column.transport === "http");
      const config = configOf(columns, toolMode, [SHARED, ISOLATED]);
      const { url, token, stderr } = await startHttpWorkbench(this.#disposables, config);
      return { url, token, log: stderr };
    }
    const config = configOf(REPLICA_COLUMNS, toolMode, [SHARED, ISOLATED, ONCE]);
    const rig = await ClusterRig.start(this.#disposables, config, { replicas: 2 });
    const log = (): string => rig.replicas.map(({ stderr }) => stderr()).join("\n");
    return { url: rig.url, token: rig.token, log };
  }
}

/** The toolboxes of the columns that use this mode of tools. */
function configOf(
  columns: readonly Column[],
  toolMode: ToolMode,
  names: readonly ToolboxName[],
): Config {
  const entriesOf = (entry: ServerEntry): Readonly<Record<ToolboxName, ServerEntry>> => ({
    [SHARED]: entry,
    [ISOLATED]: { ...entry, isolation: "session" },
    [ONCE]: { ...entry, placement: "one" },
  });
  const toolboxes = columns
    .filter((column) => toolModeOf(column) === toolMode)
    .flatMap((column) =>
      names.map((toolbox) => {
        const mcpServers = { [SERVER]: entriesOf(ENTRIES[column.server])[toolbox] };
        return [toolboxName(toolbox, column), { description: "Test", mcpServers }] as const;
      }),
    );
  return { toolMode, toolboxes: Object.fromEntries(toolboxes) };
}

function toolModeOf({ mode }: Column): ToolMode {
  return mode === "dynamic" ? "dynamic" : "proxy";
}

/** Short, because it is part of the names of tools. */
function toolboxName(toolbox: ToolboxName, { server, mode }: Column): string {
  return `${toolbox}-${server.charAt(0)}${mode.charAt(0)}`;
}
