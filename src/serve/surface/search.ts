import { type Outcome, failure, textResult } from "../../calls/outcome.ts";
import { isWorkbenchError } from "../../errors.ts";
import { findToolbox } from "../../workbench/find.ts";
import { parseSearchTools, refuseInput } from "../../workbench/meta-tools/input.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { shownDefinition } from "../apps/ui-client.ts";
import { readerHits } from "./read-tool.ts";
import { seenHits } from "./seen-tools.ts";
import { shownHitTypes } from "./shown-types.ts";
import type { MetaToolRoute } from "./tool-surface.ts";

/** `search_tools`: the same in every mode, over the toolboxes the client may use. */
export function searchTools(workbench: Workbench): MetaToolRoute {
  return (client, { params: { arguments: input } }) => ({
    answer: async (): Promise<Outcome> => {
      const parsed = parseSearchTools(input);
      if (parsed === undefined) return failure(await refuseInput("search_tools", input));
      const { query, toolbox, limit, detail } = parsed;
      const { scope, principal } = client;
      const found = toolbox === undefined ? undefined : findToolbox(scope, toolbox);
      if (isWorkbenchError(found)) return failure(found);
      const discovery = await workbench.discovery(scope);
      const request = {
        query,
        ...(toolbox !== undefined && { toolbox }),
        ...(limit !== undefined && { limit }),
        ...(detail !== undefined && { detail }),
        boosts: await workbench.pipeline.observers.uses.boosts(principal, query),
        accepts: seenHits(client, workbench.catalogues),
        isReader: readerHits(client, workbench),
        returnType: await shownHitTypes(client, workbench),
      };
      return textResult(await discovery.search(scope, request, shownDefinition(client)));
    },
  });
}
