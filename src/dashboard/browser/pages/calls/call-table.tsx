import type { VNode } from "preact";
import type { LiveCall } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatBytes, formatCount, formatDuration, formatTime } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { CALL_STATES, callerOf, placeOf } from "./call-state.ts";

interface CallTableProps {
  readonly calls: readonly LiveCall[];
  readonly onShow: (id: string) => void;
}

type Format = (value: number) => string;

/** Sent and received; the second is not known while a call runs, and missing if it failed. */
function pair(call: LiveCall, sent: number, received: number | null, format: Format): string {
  const unknown = call.state === "running" ? "…" : "–";
  return `${format(sent)} → ${received === null ? unknown : format(received)}`;
}

function columnsOf(onShow: (id: string) => void): readonly Column<LiveCall>[] {
  return [
    { title: "Time", cell: ({ startedAt }) => formatTime(Date.parse(startedAt)) },
    {
      title: "What",
      kind: "head",
      cell: (call) => (
        <>
          {call.parent !== null && <span class="muted">↳ </span>}
          {safeLine(call.subject) || safeLine(call.method)}
          <span class="muted small"> {safeLine(placeOf(call))}</span>
        </>
      ),
    },
    {
      title: "Who",
      cell: (call) => (
        <>
          {safeLine(callerOf(call))}{" "}
          <span class="muted small">{safeLine(call.principal.kind)}</span>
        </>
      ),
    },
    {
      title: "State",
      cell: ({ state, code }) => (
        <>
          <Badge {...(CALL_STATES[state] ?? { tone: "neutral", text: state })} />
          {code !== null && <span class="muted small"> {safeLine(code)}</span>}
        </>
      ),
    },
    {
      title: "Duration",
      kind: "number",
      cell: ({ durationMs }) => (durationMs === null ? "…" : formatDuration(durationMs)),
    },
    {
      title: "Size",
      kind: "number",
      cell: (call) => pair(call, call.bytesIn, call.bytesOut, formatBytes),
    },
    {
      title: "Tokens",
      kind: "number",
      cell: (call) => pair(call, call.tokensIn, call.tokensOut, formatCount),
    },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ id, subject }) => (
        <button type="button" class="plain" onClick={() => onShow(id)}>
          Details<span class="unseen"> of the call of {safeLine(subject)}</span>
        </button>
      ),
    },
  ];
}

export function CallTable({ calls, onShow }: CallTableProps): VNode {
  return (
    <Table
      caption="Calls, the most recent first"
      columns={columnsOf(onShow)}
      rows={calls}
      keyOf={({ id }) => id}
    />
  );
}
