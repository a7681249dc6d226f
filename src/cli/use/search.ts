import { EXIT, type WorkbenchError, workbenchError } from "../../errors.ts";
import { MAX_HITS } from "../../search/answer.ts";
import type { ToolIndex } from "../../search/tool-index.ts";
import type { Server } from "../../servers/server.ts";
import { SearchIndex } from "../../workbench/discovery/search-index.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { safeLine } from "../../text/safe-text.ts";
import { explainFailure, labelOf } from "./connect.ts";
import { hitLine, hitReport, showNoHits } from "./search-output.ts";
import { configuration, serversAt } from "./target.ts";
import { withWorkbench } from "./with-workbench.ts";

const DEFAULT_LIMIT = 10;

/** `search WORDS`: finds tools in all toolboxes or one. */
export async function search(context: Context): Promise<number> {
  const { args, out } = context;
  const query = args.words.join(" ");
  const limit = readLimit(args.text("limit"));
  const toolbox = args.text("toolbox");
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench }) => {
    const servers = serversAt(workbench, toolbox === undefined ? {} : { toolbox });
    const step = new Progress(out).start("connecting to servers that are not cached yet");
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
      hits: hits.map(hitReport),
      failed: unknown.map((server) => ({
        toolbox: server.settings.toolbox,
        server: server.name,
        reason: explainFailure(unreachable(server)).reason,
      })),
    });
    for (const hit of hits) out.print(hitLine(hit, out));
    if (hits.length === 0) showNoHits(query, workbench, out);
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
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_HITS) return limit;
  throw workbenchError("USAGE", { reason: `--limit takes a number from 1 to ${MAX_HITS}` });
}

/** An index of all tools; connects only to servers that are not cached. */
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
