import type { VNode } from "preact";
import type { ServerSummary, ToolboxSummary } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatCount, formatDuration } from "../../format.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { linkTo } from "../../route.ts";
import { RestartButton } from "./restart-button.tsx";
import { StateCell } from "./state-cell.tsx";

interface ToolboxServersProps {
  readonly toolbox: ToolboxSummary;
  readonly servers: readonly ServerSummary[];
}

const COLUMNS: readonly Column<ServerSummary>[] = [
  {
    title: "Server",
    kind: "head",
    cell: ({ toolbox, server, kind }) => (
      <>
        <a href={linkTo("servers", [toolbox, server])}>{safeLine(server)}</a>
        {kind !== "local" && <span class="muted small"> {kind}</span>}
      </>
    ),
  },
  { title: "State", cell: (server) => <StateCell server={server} /> },
  { title: "Process", kind: "number", cell: ({ pid }) => pid ?? "–" },
  { title: "Restarts", kind: "number", cell: ({ restarts }) => formatCount(restarts) },
  {
    title: "Tools",
    kind: "number",
    cell: ({ tools, toolbox, server }) =>
      tools === null ? (
        "–"
      ) : (
        <a href={linkTo("tools", [], { toolbox, server })}>{formatCount(tools)}</a>
      ),
  },
  {
    title: "Calls",
    kind: "number",
    cell: ({ calls, errors }) =>
      errors === 0 ? formatCount(calls) : `${formatCount(calls)} (${formatCount(errors)} failed)`,
  },
  {
    title: "Typical time",
    kind: "number",
    cell: ({ latency }) => (latency === null ? "–" : formatDuration(latency.p50)),
  },
  { title: "Actions", kind: "actions", cell: (server) => <RestartButton server={server} /> },
];

/** One toolbox and its servers. */
export function ToolboxServers({ toolbox, servers }: ToolboxServersProps): VNode | null {
  if (servers.length === 0) return null;
  const name = safeLine(toolbox.name);
  return (
    <section class="stack aligned" aria-label={`Toolbox ${name}`}>
      <div>
        <h2>{name}</h2>
        <p class="muted wrap">{safeLine(toolbox.description)}</p>
      </div>
      <Table
        caption={`Servers of the toolbox ${name}`}
        columns={COLUMNS}
        rows={servers}
        keyOf={({ server }) => server}
      />
    </section>
  );
}
