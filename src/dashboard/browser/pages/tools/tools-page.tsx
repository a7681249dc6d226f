import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useDelayed } from "../../hooks/use-delayed.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { replaceRoute } from "../../hooks/use-route.ts";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Select } from "../../parts/select.tsx";
import { linkTo, parseRoute, type Route } from "../../route.ts";
import { ToolList } from "./tool-list.tsx";
import { ToolView } from "./tool-view.tsx";

/** Search for tools, and one of them to try. */
export function ToolsPage({ route }: { readonly route: Route }): VNode {
  const { q = "", toolbox = "", server = "", focus } = route.query;
  const [typed, setTyped] = useState(q);
  const words = useDelayed(typed);
  const { data } = useResource("/ui/api/servers", { limit: "1" }, { topics: ["servers"] });
  const toolboxes = data?.toolboxes ?? [];
  const [ofToolbox, ofServer, name] = route.path;
  const place = (query: Readonly<Record<string, string>>): string =>
    linkTo("tools", route.path, { q, toolbox, server, ...query });

  // The address has the search, for links to it. A tool may have been chosen since the last render.
  useEffect(() => {
    const now = parseRoute(location.hash);
    if (now.page === "tools") replaceRoute(linkTo("tools", now.path, { ...now.query, q: words }));
  }, [words, q]);
  useEffect(() => {
    if (focus !== "search") return;
    document.querySelector<HTMLInputElement>("main input[type=search]")?.focus();
    replaceRoute(place({}));
  }, [focus]);

  return (
    <Page title="Tools">
      <div class="bar">
        <SearchBox label="Search all tools" value={typed} onInput={setTyped} />
        <Select
          label="Toolbox"
          value={toolbox}
          choices={[["", "all"], ...toolboxes.map((one) => [one.name, one.name] as const)]}
          onChange={(chosen) => replaceRoute(place({ toolbox: chosen, server: "" }))}
        />
        {server !== "" && (
          <button type="button" onClick={() => replaceRoute(place({ server: "" }))}>
            Show all servers, not only {server}
          </button>
        )}
      </div>
      <div class="columns">
        <ToolList
          query={{ q: words, toolbox, server }}
          current={route.path}
          linkOf={(tool) =>
            linkTo("tools", [tool.toolbox, tool.server, tool.name], { q, toolbox, server })
          }
        />
        {ofToolbox !== undefined && ofServer !== undefined && name !== undefined ? (
          <ToolView
            key={JSON.stringify(route.path)}
            toolbox={ofToolbox}
            server={ofServer}
            name={name}
          />
        ) : (
          <Empty title="Choose a tool">Its definition and a form to try it appear here.</Empty>
        )}
      </div>
    </Page>
  );
}
