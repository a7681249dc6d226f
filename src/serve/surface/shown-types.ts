import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { offersScripts } from "../../workbench/meta-tools/definitions.ts";
import { enabledServersIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedClient } from "../served-client.ts";
import type { FoundTool } from "./seen-tools.ts";

/** What a tool returns, in at most `maxChars` characters; an empty string if that is not known. */
type TypeOf = (server: Pick<Server, "settings">, tool: ListedTool, maxChars?: number) => string;

/** What tools return, in answers to clients that can run scripts; undefined for others. */
export async function shownTypes(
  { principal, scope }: ServedClient,
  { settings, pipeline }: Workbench,
): Promise<TypeOf | undefined> {
  if (!offersScripts(settings.scripts, principal)) return undefined;
  const { returnTypes } = pipeline.observers;
  const types = await returnTypes.load();
  const showsLearned = returnTypes.isTrusted(principal);
  if (showsLearned) await types.load(enabledServersIn(scope));
  return (server, tool, maxChars) => types.typeOf(server, tool, showsLearned, maxChars);
}

/** The same for tools that a search has found. */
export async function shownHitTypes(
  client: ServedClient,
  workbench: Workbench,
): Promise<((hit: FoundTool, maxChars: number) => string) | undefined> {
  const typeOf = await shownTypes(client, workbench);
  return (
    typeOf &&
    (({ toolbox, server: name, tool }, maxChars) => {
      const server = client.scope.get(toolbox)?.servers.get(name);
      const known = server && workbench.catalogues.known(server)?.catalogue.tools.get(tool.name);
      return server === undefined || known === undefined ? "" : typeOf(server, known, maxChars);
    })
  );
}
