import type { VNode } from "preact";
import type { Route } from "../../route.ts";
import { ServerList } from "./server-list.tsx";
import { ServerView } from "./server-view.tsx";

/** All servers by toolbox, or one of them. */
export function ServersPage({ route }: { readonly route: Route }): VNode {
  const [toolbox, server] = route.path;
  if (toolbox !== undefined && server !== undefined)
    return <ServerView key={`${toolbox}/${server}`} toolbox={toolbox} server={server} />;
  return <ServerList />;
}
