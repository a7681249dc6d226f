import type { VNode } from "preact";
import type { DashboardEvent, ServerDetail, ServerName } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Output } from "../../parts/output.tsx";
import { Page } from "../../parts/page.tsx";
import { linkTo } from "../../route.ts";
import { RestartButton } from "./restart-button.tsx";
import { ServerFacts } from "./server-facts.tsx";
import { ServerUsers } from "./server-users.tsx";

/** Standard error has no line numbers to continue from, so its end is read again. */
function follow(own: ServerDetail, event: DashboardEvent): ServerDetail | "reload" {
  const isOwn = ({ toolbox, server }: ServerName): boolean =>
    toolbox === own.toolbox && server === own.server;
  if (event.type === "stderr") return isOwn(event) ? "reload" : own;
  return event.type === "servers" && event.servers.some(isOwn) ? "reload" : own;
}

/** Everything about one server. */
export function ServerView({ toolbox, server }: ServerName): VNode {
  const detail = useResource(
    "/ui/api/server",
    { toolbox, server },
    { topics: ["servers"], onEvent: follow },
  );
  const { data, set } = detail;
  return (
    <Page
      title={safeLine(`${toolbox}/${server}`)}
      actions={
        <>
          <a href={linkTo("servers")}>All servers</a>
          <a href={linkTo("tools", [], { toolbox, server })}>Tools</a>
          {data !== undefined && <RestartButton server={data} onRestarted={set} />}
        </>
      }
    >
      <Loaded resource={detail}>
        {(shown) => (
          <>
            <ServerFacts server={shown} />
            {shown.problems.map((problem) => (
              <Notice key={problem} tone="warn">
                {safeLine(problem)}
              </Notice>
            ))}
            {shown.users !== undefined && <ServerUsers {...shown} />}
            {shown.kind === "local" && (
              <section class="stack" aria-label="Standard error">
                <h2>Standard error</h2>
                {shown.stderr.length === 0 ? (
                  <Empty title="Nothing was written">
                    What the server writes to standard error appears here.
                  </Empty>
                ) : (
                  <Output text={shown.stderr.join("\n")} label="Standard error of the server" />
                )}
              </section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
