import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useDelayed } from "../../hooks/use-delayed.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Select } from "../../parts/select.tsx";
import { linkTo } from "../../route.ts";
import { updateServers } from "../../state/live-data.ts";
import { OverviewFigures } from "./overview-figures.tsx";
import { STATE_CHOICES, type StateChoice } from "./server-state.ts";
import { ToolboxServers } from "./toolbox-servers.tsx";

const SIZE = 100;

/** All servers by toolbox. */
export function ServerList(): VNode {
  const [q, setQ] = useState("");
  const [state, setState] = useState<StateChoice>("");
  const [offset, setOffset] = useState(0);
  const filter = { q: useDelayed(q), ...(state !== "" && { state }) };
  const query = { ...filter, offset: String(offset), limit: String(SIZE) };
  const servers = useResource("/ui/api/servers", query, {
    topics: ["servers", "tools"],
    onEvent: (data, event) => updateServers(data, event, state),
    isKept: true,
  });
  /** Another search starts with its first page. */
  const fromStart =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      setOffset(0);
      set(value);
    };
  return (
    <Page title="Servers">
      <OverviewFigures />
      <div class="bar">
        <SearchBox label="Find a server" value={q} onInput={fromStart(setQ)} />
        <Select
          label="State"
          value={state}
          choices={STATE_CHOICES}
          onChange={fromStart(setState)}
        />
      </div>
      <Loaded resource={servers}>
        {({ items, total, toolboxes }) => (
          <>
            {toolboxes.map((toolbox) => (
              <ToolboxServers
                key={toolbox.name}
                toolbox={toolbox}
                servers={items.filter((server) => server.toolbox === toolbox.name)}
              />
            ))}
            {total === 0 && (q !== "" || state !== "") && (
              <Empty title="No server matches">
                Search for part of a name, or show all states.
              </Empty>
            )}
            {total === 0 && q === "" && state === "" && (
              <Empty title="No servers are configured">
                Add one with <code>mcp-workbench add</code>, or edit the{" "}
                <a href={linkTo("configuration")}>configuration</a>.
              </Empty>
            )}
            <Pager
              offset={offset}
              shown={items.length}
              total={total}
              size={SIZE}
              onMove={setOffset}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
