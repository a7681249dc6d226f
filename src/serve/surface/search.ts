import { isWorkbenchError } from "../../errors.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { findToolbox } from "../../workbench/find.ts";
import { acceptSearchTools, refuseInput } from "../../workbench/input.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Requester } from "../requester.ts";
import { answerLater } from "./surface.ts";

/** `search_tools`: the same in every mode, over the toolboxes the client may use. */
export function searchTools(
  workbench: Workbench,
  requester: Requester,
  request: IncomingRequest,
): void {
  answerLater(requester, request, answerSearch(workbench, requester, request));
}

async function answerSearch(
  workbench: Workbench,
  requester: Requester,
  request: IncomingRequest,
): Promise<void> {
  const input = request.params["arguments"];
  const wanted = acceptSearchTools(input);
  if (wanted === undefined) {
    requester.toolError(request, await refuseInput("search_tools", input));
    return;
  }
  const { query, toolbox, limit, detail } = wanted;
  const found = toolbox === undefined ? undefined : findToolbox(requester.scope, toolbox);
  if (isWorkbenchError(found)) {
    requester.toolError(request, found);
    return;
  }
  const discovery = await workbench.discovery();
  const text = await discovery.search(requester.scope, {
    query,
    ...(toolbox !== undefined && { toolbox }),
    ...(limit !== undefined && { limit }),
    ...(detail !== undefined && { detail }),
  });
  requester.reply(request, { content: [{ type: "text", text }] });
}
