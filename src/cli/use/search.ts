import { EXIT, type WorkbenchError, workbenchError } from "../../errors.ts";
import { MOST_HITS } from "../../search/answer.ts";
import { nearestToolboxes } from "../../search/nearest-toolboxes.ts";
import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import type { ToolIndex } from "../../search/tool-index.ts";
import type { Hit } from "../../search/types.ts";
import type { Server } from "../../servers/server.ts";
import { SearchIndex } from "../../workbench/search-index.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../command.ts";
import type { Output } from "../output/output.ts";
import { Progress } from "../output/progress.ts";
import { safeLine } from "../output/safe-text.ts";
import { explainFailure, labelOf } from "./connect.ts";
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
  return withWorkbench(context, settings, async ({ workbench }) => {
    const servers = serversAt(workbench, toolbox === undefined ? {} : { toolbox });
    const step = new Progress(out).start("looking at servers that were never seen");
    const index = await indexOf(workbench).finally(step.end);
    const unknown = servers.filter((server) => workbench.catalogues.known(server) === undefined);
    const [first] = unknown;
    if (first !== undefined && unknown.length === servers.length) throw unreachable(first);
    const hits = index.search(query, {
      limit,
      toolboxes: new Set(servers.map((server) => server.settings.toolbox)),
    });
    out.document({
      query,
      hits: hits.map((hit) => ({
        toolbox: hit.toolbox,
        server: hit.server,
        name: hit.tool.name,
        signature: signatureOf(hit.tool.inputSchema),
        description: descriptionOf(hit, 200),
      })),
      failed: unknown.map((server) => ({
        toolbox: server.settings.toolbox,
        server: server.name,
        reason: explainFailure(unreachable(server)).reason,
      })),
    });
    for (const hit of hits) out.print(hitLine(hit, out));
    if (hits.length === 0) sayNothingFound(query, workbench, out);
    for (const server of unknown) {
      const { reason } = explainFailure(unreachable(server));
      out.warn(`${labelOf(server)} was not searched: ${safeLine(reason)}`);
    }
    return EXIT.ok;
  });
}

// --- internal ---

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_HITS) return limit;
  throw workbenchError("USAGE", { reason: `--limit takes a number from 1 to ${MOST_HITS}` });
}

/** All tools that are known or can be learned; a server that was seen once is not started again. */
async function indexOf(workbench: Workbench): Promise<ToolIndex> {
  const discovery = await workbench.discovery();
  await discovery.learnUnseen();
  const index = new SearchIndex(workbench);
  await index.update();
  return index.tools;
}

function unreachable({ settings, failures }: Server): WorkbenchError {
  const { toolbox, name: server, unavailable } = settings;
  const reason = unavailable ?? failures.lastError ?? "it could not be connected";
  const cause = { code: failures.lastErrorCode };
  return workbenchError("CONNECTION_FAILED", { toolbox, server, reason }, undefined, cause);
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
