import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CallState } from "../../../contract.ts";
import { counted, formatDate } from "../../format.ts";
import { useDelayed } from "../../hooks/use-delayed.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Select } from "../../parts/select.tsx";
import { updateCalls } from "../../state/live-data.ts";
import { CallDialog } from "./call-dialog.tsx";
import { CALL_STATES } from "./call-state.ts";
import { CallTable } from "./call-table.tsx";

type Filter = CallState | "failed" | "";

const CHOICES: readonly (readonly [Filter, string])[] = [
  ["", "all"],
  ["failed", "all that failed"],
  ...Object.entries(CALL_STATES).map(([key, { text }]) => [key as CallState, text] as const),
];

/** The calls of all clients as they happen. */
export function CallsPage(): VNode {
  const [q, setQ] = useState("");
  const [state, setState] = useState<Filter>("");
  const [isPaused, setPaused] = useState(false);
  const [shown, setShown] = useState<string>();
  const words = useDelayed(q);
  const calls = useResource(
    "/ui/api/calls",
    { q: words, limit: "200", ...(state !== "" && { state }) },
    {
      isKept: true,
      onEvent: (data, event) => (isPaused ? data : updateCalls(data, event, { q: words, state })),
    },
  );
  const togglePause = (): void => {
    setPaused(!isPaused);
    if (isPaused) calls.reload();
  };
  return (
    <Page title="Calls">
      <div class="bar">
        <SearchBox label="Find calls" value={q} onInput={setQ} />
        <Select label="Show" value={state} choices={CHOICES} onChange={setState} />
        <button type="button" aria-pressed={isPaused} onClick={togglePause}>
          {isPaused ? "Continue" : "Pause"}
        </button>
      </div>
      <Loaded resource={calls}>
        {({ items, total, since }) => (
          <>
            <p class="muted small">
              {counted(total, "call")} since {formatDate(Date.parse(since))}
              {total > items.length && `, the last ${items.length} are shown`}
            </p>
            {items.length > 0 && <CallTable calls={items} onShow={setShown} />}
            {items.length === 0 && (
              <Empty title={q === "" && state === "" ? "No calls yet" : "No call matches"}>
                Calls are recorded here while a dashboard is open. Let your agent call a tool, or
                try one under Tools.
              </Empty>
            )}
          </>
        )}
      </Loaded>
      {shown !== undefined && <CallDialog id={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}
