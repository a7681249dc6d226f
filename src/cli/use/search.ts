import { EXIT, workbenchError } from "../../errors.ts";
import { MOST_HITS } from "../../search/answer.ts";
import { nearestToolboxes } from "../../search/nearest-toolboxes.ts";
import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import { ToolIndex } from "../../search/tool-index.ts";
import type { Hit } from "../../search/types.ts";
import type { Server } from "../../servers/server.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../command.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../output/safe-text.ts";
import { connectAll, explainFailure, labelOf } from "./connect.ts";
import { configuration, serversAt } from "./target.ts";
import { withWorkbench } from "./with-workbench.ts";

const DEFAULT_LIMIT = 10;

/** `search WORDS`: tools by what they do, in all toolboxes or one. */
export async function search(context: Context): Promise<number> {
  const { args, out } = context;
  const query = args.words.join(" ");
  const limit = readLimit(args.text("limit"));
  const toolbox = args.text("toolbox");
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench, client }) => {
    const servers = serversAt(workbench, toolbox === undefined ? {} : { toolbox });
    // What an earlier run has seen of a server is known without starting it.
    for (const server of servers) await workbench.catalogues.recall(server);
    const { failed } = await connectAll(client, unknownOf(workbench, servers), out);
    const [first] = failed;
    if (first !== undefined && failed.length === servers.length) throw first.error;
    const hits = indexOf(workbench, servers).search(query, { limit });
    out.document({
      query,
      hits: hits.map((hit) => ({
        toolbox: hit.toolbox,
        server: hit.server,
        name: hit.tool.name,
        signature: signatureOf(hit.tool.inputSchema),
        description: descriptionOf(hit, 200),
      })),
      failed: failed.map(({ server, error }) => ({
        toolbox: server.settings.toolbox,
        server: server.name,
        reason: explainFailure(error).reason,
      })),
    });
    for (const hit of hits) out.print(hitLine(hit, out));
    if (hits.length === 0) sayNothingFound(query, workbench, out);
    for (const { server, error } of failed)
      out.warn(`${labelOf(server)} was not searched: ${safeLine(explainFailure(error).reason)}`);
    return EXIT.ok;
  });
}

// --- internal ---

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_HITS) return limit;
  throw workbenchError("USAGE", { reason: `--limit takes a number from 1 to ${MOST_HITS}` });
}

function unknownOf({ catalogues }: Workbench, servers: readonly Server[]): Server[] {
  return servers.filter((server) => catalogues.known(server) === undefined);
}

function indexOf({ toolboxes, catalogues }: Workbench, servers: readonly Server[]): ToolIndex {
  const index = new ToolIndex();
  index.setToolboxes(Array.from(toolboxes.values(), ({ settings }) => settings));
  for (const server of servers) {
    const known = catalogues.known(server);
    if (known === undefined) continue;
    const tools = Array.from(known.catalogue.tools.values(), ({ name, value }) => ({
      ...value,
      name,
    }));
    index.replaceServer(server.settings.toolbox, server.name, tools, known.instructions);
  }
  return index;
}

function descriptionOf({ tool }: Hit, length: number): string {
  const { description, title } = tool;
  const text = typeof description === "string" && description !== "" ? description : title;
  return typeof text === "string" ? firstSentence(text, length) : "";
}

function hitLine(hit: Hit, { style, width, isTerminal }: Output): string {
  const identifier = `${hit.toolbox}/${hit.server}/${safeLine(hit.tool.name)}`;
  const signature = safeLine(signatureOf(hit.tool.inputSchema, 60));
  const left = isTerminal ? Math.max(30, width - 6 - identifier.length - signature.length) : 160;
  const purpose = safeLine(descriptionOf(hit, left));
  const callable = `${style.bold(identifier)}(${style.dim(signature)})`;
  return purpose === "" ? callable : `${callable} ${style.dim("—")} ${purpose}`;
}

function sayNothingFound(query: string, { toolboxes }: Workbench, out: Output): void {
  const boxes = Array.from(toolboxes.values(), ({ settings }) => settings);
  const near = nearestToolboxes(query, boxes, 3).map(({ name }) => name);
  out.say(`No tool matches. The nearest toolboxes are: ${near.join(", ")}`);
}
