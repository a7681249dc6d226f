import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { LogLevel } from "../../../contract.ts";
import { safeText } from "../../../../text/safe-text.ts";
import { useDelayed } from "../../hooks/use-delayed.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Select } from "../../parts/select.tsx";
import { updateLog } from "../../state/live-data.ts";
import { LogLines } from "./log-lines.tsx";

const LEVELS: readonly (readonly [LogLevel | "", string])[] = [
  ["", "all"],
  ["info", "info and above"],
  ["warn", "warnings and errors"],
  ["error", "errors"],
];

/** The log of the workbench as it is written. */
export function LogsPage(): VNode {
  const [q, setQ] = useState("");
  const [level, setLevel] = useState<LogLevel | "">("");
  const words = useDelayed(q);
  const log = useResource(
    "/ui/api/logs",
    { q: words, limit: "500", ...(level !== "" && { level }) },
    { isKept: true, onEvent: (data, event) => updateLog(data, event, { q: words, level }) },
  );
  return (
    <Page title="Logs">
      <div class="bar">
        <SearchBox label="Find lines" value={q} onInput={setQ} />
        <Select label="Level" value={level} choices={LEVELS} onChange={setLevel} />
      </div>
      <Loaded resource={log}>
        {({ file, lines }) => (
          <>
            <p class="muted small wrap">
              {file === null
                ? "Without a log file, lines are kept while a dashboard is open."
                : safeText(file)}
            </p>
            {lines.length === 0 ? (
              <Empty
                title={q === "" && level === "" ? "Nothing was logged yet" : "No line matches"}
              >
                New lines appear here as they are written.
              </Empty>
            ) : (
              <LogLines lines={lines} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
