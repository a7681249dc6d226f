/** Two replicas behind a load balancer that sends each request to the next one, with a Redis of their own. */
import { ClusterRig } from "../support/cluster-rig.ts";
import { Disposables } from "../support/disposables.ts";
import type { ServerEntry } from "../support/servers.ts";
import { type Column, REPLICA_COLUMNS } from "./columns.ts";
import { ENTRIES, type Place } from "./place.ts";
import { ISOLATED, ONCE, SERVER, SHARED, type ToolboxName } from "./subject.ts";

type ToolMode = "proxy" | "dynamic";

/** Columns share a pair of replicas, each with toolboxes of its own: one pair for each mode of tools. */
export class ReplicaPairs {
  readonly #disposables = new Disposables();
  readonly #rigs = new Map<ToolMode, Promise<ClusterRig>>();

  async place(column: Column): Promise<Place> {
    const toolMode = toolModeOf(column);
    const starting = this.#rigs.get(toolMode) ?? this.#start(toolMode);
    this.#rigs.set(toolMode, starting);
    const rig = await starting;
    const headers = { authorization: `Bearer ${rig.token}` };
    const log = (): string => rig.replicas.map(({ stderr }) => stderr()).join("\n");
    return {
      nameOf: (toolbox) => toolboxName(toolbox, column),
      endpoint: (toolbox) => {
        const name = toolboxName(toolbox, column);
        const path = column.mode === "transparent" ? `${name}/${SERVER}` : name;
        return { transport: "http", url: `${rig.url}/mcp/${path}`, headers, log };
      },
      close: async () => {},
    };
  }

  close(): Promise<void> {
    return this.#disposables.dispose();
  }

  #start(toolMode: ToolMode): Promise<ClusterRig> {
    const toolboxes: Record<string, ToolboxEntry> = {};
    for (const column of REPLICA_COLUMNS.filter((each) => toolModeOf(each) === toolMode)) {
      const entry = ENTRIES[column.server];
      const entries = {
        [SHARED]: entry,
        [ISOLATED]: { ...entry, isolation: "session" },
        [ONCE]: { ...entry, placement: "one" },
      } as const;
      for (const toolbox of [SHARED, ISOLATED, ONCE] as const) {
        const mcpServers = { [SERVER]: entries[toolbox] };
        toolboxes[toolboxName(toolbox, column)] = { description: "Test", mcpServers };
      }
    }
    return ClusterRig.start(this.#disposables, { toolMode, toolboxes }, { replicas: 2 });
  }
}

interface ToolboxEntry {
  readonly description: string;
  readonly mcpServers: Readonly<Record<string, ServerEntry>>;
}

function toolModeOf({ mode }: Column): ToolMode {
  return mode === "dynamic" ? "dynamic" : "proxy";
}

/** Short, because it is part of the names of tools. */
function toolboxName(toolbox: ToolboxName, { server, mode }: Column): string {
  return `${toolbox}-${server.charAt(0)}${mode.charAt(0)}`;
}
