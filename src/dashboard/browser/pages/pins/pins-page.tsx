import type { VNode } from "preact";
import type { PinnedServer, PinOverview } from "../../../contract.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { formatCount } from "../../format.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Command } from "../../parts/command.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { linkTo, type Route } from "../../route.ts";
import { PinDiffView } from "./pin-diff-view.tsx";

const STATES: Readonly<Record<PinnedServer["state"], readonly [Tone, string]>> = {
  same: ["good", "As approved"],
  changed: ["warn", "Changed"],
  new: ["warn", "Not approved yet"],
  removed: ["neutral", "No longer configured"],
  unknown: ["neutral", "Not connected yet"],
};

const MODES: Readonly<Record<PinOverview["mode"], string>> = {
  off: "Definitions are not compared.",
  warn: "Changes are reported, and clients still get them.",
  enforce: "What is not approved is hidden from clients.",
};

/** How the definitions of all servers compare with what was approved, or those of one server. */
export function PinsPage({ route }: { readonly route: Route }): VNode {
  const [toolbox, server] = route.path;
  if (toolbox !== undefined && server !== undefined)
    return <PinDiffView key={`${toolbox}/${server}`} toolbox={toolbox} server={server} />;
  return <PinList />;
}

function PinList(): VNode {
  const pins = useResource("/ui/api/pins", {}, { topics: ["pins", "servers"] });
  return (
    <Page title="Definitions">
      <Loaded resource={pins}>
        {({ mode, file, hasFile, problem, servers }) => (
          <>
            <p>
              {MODES[mode]} {hasFile && file !== null && <code class="wrap">{safeText(file)}</code>}
            </p>
            {problem !== null && <Notice tone="bad">{safeText(problem)}</Notice>}
            {!hasFile && (
              <Empty title="Nothing is approved yet">
                <p>
                  A lock file records the definitions that you have approved, and shows when a
                  server changes them. This command writes it:
                </p>
                <Command text="mcp-workbench lock" />
              </Empty>
            )}
            {servers.length > 0 && <PinTable servers={servers} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function PinTable({ servers }: { readonly servers: readonly PinnedServer[] }): VNode {
  return (
    <Table
      caption="Definitions by server"
      rows={servers}
      keyOf={({ toolbox, server }) => `${toolbox}/${server}`}
      columns={[
        {
          title: "Server",
          kind: "head",
          cell: ({ toolbox, server }) => safeLine(`${toolbox}/${server}`),
        },
        {
          title: "State",
          cell: ({ state }) => {
            const [tone, text] = STATES[state];
            return <Badge tone={tone} text={text} />;
          },
        },
        { title: "Approved", kind: "number", cell: ({ approved }) => formatCount(approved) },
        { title: "Changed tools", cell: ({ changed }) => safeLine(changed.join(", ")) || "–" },
        {
          title: "Actions",
          kind: "actions",
          cell: ({ toolbox, server, state }) =>
            state !== "removed" && (
              <a href={linkTo("definitions", [toolbox, server])}>
                Compare<span class="unseen"> {safeLine(`${toolbox}/${server}`)}</span>
              </a>
            ),
        },
      ]}
    />
  );
}
