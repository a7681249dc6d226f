import type { VNode } from "preact";
import type { ToolPage } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { counted } from "../../format.ts";
import { linkTo } from "../../route.ts";
import { shownState } from "../servers/server-state.ts";

/** The servers whose tools are missing from the list. */
export function UnknownServers({
  servers,
}: {
  readonly servers: ToolPage["unknown"];
}): VNode | null {
  if (servers.length === 0) return null;
  return (
    <details>
      <summary>{counted(servers.length, "server")} with tools that are not known</summary>
      <ul class="stack tight">
        {servers.map(({ toolbox, server, state }) => (
          <li key={`${toolbox}/${server}`}>
            <a href={linkTo("servers", [toolbox, server])}>{safeLine(`${toolbox}/${server}`)}</a>{" "}
            <span class="muted">{shownState(state).text}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
