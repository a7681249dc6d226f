import type { VNode } from "preact";
import type { CallDetail } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatBytes, formatDate, formatDuration } from "../../format.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Output } from "../../parts/output.tsx";
import { CALL_STATES, callerOf, placeOf } from "./call-state.ts";

interface CallDialogProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** One call, with its arguments and its result if they may be shown. */
export function CallDialog({ id, onClose }: CallDialogProps): VNode {
  const call = useResource(
    "/ui/api/call",
    { id },
    {
      onEvent: (data, event) =>
        event.type === "calls" && event.calls.some((one) => one.id === id) ? "reload" : data,
    },
  );
  return (
    <Dialog title="Call" onClose={onClose}>
      <Loaded resource={call}>{(data) => <CallFacts call={data} />}</Loaded>
      <div class="bar">
        <span class="spacer" />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function CallFacts({ call }: { readonly call: CallDetail }): VNode {
  const { hasPayloads, client, principal, durationMs, bytesOut } = call;
  return (
    <div class="stack">
      <Facts
        facts={[
          ["What", safeLine(`${placeOf(call)} ${call.subject}`)],
          ["Method", <code>{safeLine(call.method)}</code>],
          ["Client", safeLine(`${callerOf(call)} ${client?.version ?? ""}`)],
          ["Made for", safeLine(`${principal.name} (${principal.kind})`)],
          ["Started", formatDate(Date.parse(call.startedAt))],
          ["State", CALL_STATES[call.state]?.text ?? call.state],
          ["Error code", call.code !== null && safeLine(call.code)],
          ["Duration", durationMs !== null && formatDuration(durationMs)],
          ["Sent", formatBytes(call.bytesIn)],
          ["Received", bytesOut !== null && formatBytes(bytesOut)],
        ]}
      />
      {hasPayloads ? (
        <>
          <h3>Arguments</h3>
          <Payload text={call.arguments} label="Arguments of the call" />
          <h3>Result</h3>
          <Payload text={call.result} label="Result of the call" />
        </>
      ) : (
        <Notice>
          Arguments and results are not shown. To see them, set{" "}
          <code>{`"dashboard": { "payloads": true }`}</code> in the configuration.
        </Notice>
      )}
    </div>
  );
}

function Payload({ text, label }: { readonly text: string | null; readonly label: string }): VNode {
  if (text === null) return <p class="muted">Not kept.</p>;
  return <Output text={text} label={label} />;
}
