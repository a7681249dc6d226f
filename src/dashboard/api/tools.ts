import { Policy } from "../../access/policy/policy.ts";
import { factsOf } from "../../access/policy/tool-facts.ts";
import { OWNER_PRINCIPAL } from "../../calls/principal.ts";
import { workbenchError } from "../../errors.ts";
import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import { serversOf } from "../../serve/client-view.ts";
import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import { asText } from "../../text/json.ts";
import type { DashboardContext } from "../context.ts";
import type { ToolDetail, ToolPage, ToolSummary } from "../contract.ts";
import { type Query, pageOf } from "../http/query.ts";
import { serverAt } from "./servers.ts";

/** A tool and its server. */
interface FoundTool {
  readonly server: Server;
  readonly tool: ListedTool;
}

const MAX_SIGNATURE_CHARS = 200;
const MAX_SENTENCE_CHARS = 200;
const MAX_QUERY_CHARS = 500;
/** What comes after so many better matches is not what the user looks for. */
const MAX_HITS = 200;

/** The tools that are known, in the order of the configuration, or the best matches for words. */
export async function listTools(context: DashboardContext, query: Query): Promise<ToolPage> {
  const { workbench } = context;
  const servers = wantedServers(context, query);
  await Promise.all(servers.map((server) => workbench.catalogues.load(server)));
  const words = query.text("q").trim().slice(0, MAX_QUERY_CHARS);
  const found = words === "" ? allTools(context, servers) : await search(context, servers, words);
  const unknown = servers
    .filter((server) => workbench.catalogues.known(server) === undefined)
    .map(({ place, state }) => ({ ...place, state }));
  return { ...pageOf(found, query, summaryOf), unknown };
}

function wantedServers({ view }: DashboardContext, query: Query): Server[] {
  const [toolbox, name] = [query.text("toolbox"), query.text("server")];
  return serversOf(view).filter(
    ({ settings }) =>
      !settings.disabled &&
      (toolbox === "" || settings.toolbox === toolbox) &&
      (name === "" || settings.name === name),
  );
}

function allTools({ workbench }: DashboardContext, servers: readonly Server[]): FoundTool[] {
  return servers.flatMap((server) =>
    Array.from(workbench.catalogues.known(server)?.catalogue.tools.values() ?? [], (tool) => ({
      server,
      tool,
    })),
  );
}

async function search(
  { workbench }: DashboardContext,
  servers: readonly Server[],
  words: string,
): Promise<FoundTool[]> {
  const byName = new Map(servers.map((server) => [keyOf(server.place), server]));
  const discovery = await workbench.discovery();
  const hits = await discovery.hits(words, {
    limit: MAX_HITS,
    accepts: (hit) => byName.has(keyOf(hit)),
  });
  return hits.flatMap((hit) => {
    const server = byName.get(keyOf(hit));
    const known = server && workbench.catalogues.known(server)?.catalogue;
    const tool = known?.tools.get(hit.tool.name);
    return server === undefined || tool === undefined ? [] : [{ server, tool }];
  });
}

function keyOf({ toolbox, server }: { readonly toolbox: string; readonly server: string }): string {
  return JSON.stringify([toolbox, server]);
}

function summaryOf({ server, tool: { name, value } }: FoundTool): ToolSummary {
  const { title, description, inputSchema } = value;
  return {
    ...server.place,
    name,
    title: typeof title === "string" ? title : null,
    signature: signatureOf(inputSchema, MAX_SIGNATURE_CHARS),
    description: firstSentence(asText(description), MAX_SENTENCE_CHARS),
  };
}

export async function showTool(context: DashboardContext, query: Query): Promise<ToolDetail> {
  const { workbench } = context;
  const place = { toolbox: query.required("toolbox"), server: query.required("server") };
  const name = query.required("name");
  const server = serverAt(context, place);
  const known = await workbench.catalogues.load(server);
  const tool = known?.catalogue.tools.get(name);
  if (known === undefined || tool === undefined)
    throw workbenchError("TOOL_NOT_FOUND", { ...place, name }, known?.catalogue.withheld.get(name));
  const policy = new Policy(workbench.settings).of(place);
  const verdict = policy?.verdict(known.catalogue, name, OWNER_PRINCIPAL);
  return {
    ...summaryOf({ server, tool }),
    definition: tool.value,
    inputSchema: tool.value["inputSchema"],
    tokens: estimateTokens(tool.text),
    class: factsOf(name, tool, server.settings).toolClass,
    policy: verdict === undefined ? "allow" : (verdict.fixed?.action ?? "arguments"),
  };
}
