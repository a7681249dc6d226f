import type { VNode } from "preact";
import type { Overview } from "../../../contract.ts";
import { formatCount, formatDate } from "../../format.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Figures } from "../../parts/figures.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Notice } from "../../parts/notice.tsx";
import { linkTo } from "../../route.ts";
import { safeText } from "../../../../text/safe-text.ts";

/** The workbench in a few numbers. */
export function OverviewFigures(): VNode {
  const overview = useResource(
    "/ui/api/overview",
    {},
    {
      topics: ["servers", "tools", "approvals", "savings", "config"],
      onEvent: (data, event) => (event.type === "servers" ? "reload" : data),
    },
  );
  return <Loaded resource={overview}>{(data) => <Summary overview={data} />}</Loaded>;
}

function Summary({ overview }: { readonly overview: Overview }): VNode {
  const { servers, tools, sessions, pendingApprovals, savedTokens, configProblem } = overview;
  const all = Object.values(servers).reduce((sum, count) => sum + count, 0);
  return (
    <div class="stack">
      {configProblem !== null && (
        <Notice tone="bad">
          The configuration file is not in effect: {safeText(configProblem)}{" "}
          <a href={linkTo("configuration")}>Show the problems</a>
        </Notice>
      )}
      <Figures
        figures={[
          ["Servers ready", `${formatCount(servers.ready)} of ${formatCount(all)}`],
          ["Known tools", formatCount(tools)],
          ["Clients", formatCount(sessions)],
          ["Approvals waiting", formatCount(pendingApprovals)],
          ...(savedTokens === null ? [] : [["Tokens saved", formatCount(savedTokens)] as const]),
        ]}
      />
      <p class="muted small wrap">
        Process {overview.pid}, running since {formatDate(Date.parse(overview.startedAt))}
        {overview.config !== null && (
          <>
            {" "}
            with <code>{safeText(overview.config)}</code>
          </>
        )}
      </p>
    </div>
  );
}
