import { type Outcome, failure, textResult } from "../../calls/outcome.ts";
import { isWorkbenchError } from "../../errors.ts";
import type { KnownTools } from "../../toolboxes/open.ts";
import { findToolbox } from "../../workbench/find.ts";
import { parseOpenToolbox, withoutAlias } from "../../workbench/meta-tools/input.ts";
import { refuseToolbox } from "../../workbench/meta-tools/refuse-toolbox.ts";
import { type ShownServers, openToolboxText } from "../../workbench/meta-tools/open-toolbox.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { shownDefinition } from "../apps/ui-client.ts";
import type { ServedClient } from "../served-client.ts";
import { connectToolbox } from "./connect-toolbox.ts";
import { readMark } from "./read-tool.ts";
import { seenBy } from "./seen-tools.ts";
import { shownTypes } from "./shown-types.ts";
import type { MetaToolRoute } from "./tool-surface.ts";

/** `open_toolbox` in toolMode "proxy": connects the servers of a toolbox and lists their tools. */
export function openToolbox(workbench: Workbench): MetaToolRoute {
  return (client, { params }) => ({
    answer: () => open(client, params["arguments"], workbench),
  });
}

async function open(client: ServedClient, input: unknown, workbench: Workbench): Promise<Outcome> {
  const wanted = parseOpenToolbox(withoutAlias(input));
  if (wanted === undefined)
    return failure(await refuseToolbox("open_toolbox", withoutAlias(input), client.scope));
  const toolbox = findToolbox(client.scope, wanted.toolbox);
  if (isWorkbenchError(toolbox)) return failure(toolbox);
  const opened = await connectToolbox(client, toolbox);
  if (isWorkbenchError(opened)) return failure(opened);
  const { detail } = wanted;
  const budgetTokens = workbench.settings.openBudgetTokens;
  const typeOf = detail === "signatures" ? await shownTypes(client, workbench) : undefined;
  const marks = { isReader: readMark(client, workbench), typeOf };
  const shown = {
    ...opened,
    connected: opened.connected.map((entry) => seenServer(client, entry, marks)),
    known: opened.known.map((entry) => seenServer(client, entry, marks)),
  };
  return textResult(await openToolboxText(toolbox, shown, { detail, budgetTokens }));
}

interface Marks {
  readonly isReader: ReturnType<typeof readMark>;
  readonly typeOf: Awaited<ReturnType<typeof shownTypes>>;
}

/** A server with those of its tools that the client may see. */
function seenServer(
  client: ServedClient,
  { server, connection: { catalogue, hello } }: KnownTools,
  { isReader, typeOf }: Marks,
): ShownServers["connected"][number] {
  return {
    server,
    connection: { catalogue: seenBy(client, server, catalogue), hello },
    ...(catalogue.hasUi && { shownText: shownDefinition(client) }),
    ...(isReader && { isReader: (tool) => isReader(server, tool) }),
    ...(typeOf && { returnType: (tool) => typeOf(server, tool) }),
  };
}
