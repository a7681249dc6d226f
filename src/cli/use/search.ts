import { mayPrompt } from "../../config/prompting-secrets.ts";
import { EXIT, type WorkbenchError, workbenchError } from "../../errors.ts";
import { MAX_HITS } from "../../search/answer.ts";
import type { Server } from "../../servers/server.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { safeLine } from "../../text/safe-text.ts";
import { cachingProgress } from "./caching-progress.ts";
import { explainFailure, labelOf } from "./connect.ts";
import { hitLine, hitReport, showNoHits } from "./search-output.ts";
import { searchIndex } from "./search-index.ts";
import { seenHits } from "./seen-tools.ts";
import { configuration, serversAt } from "./target.ts";
import { withWorkbench } from "./with-workbench.ts";

const DEFAULT_LIMIT = 10;

/** `search WORDS`: finds tools in all toolboxes or one. */
export async function search(context: Context): Promise<number> {
  const { args, out } = context;
  const query = args.words.join(" ").trim();
  if (query === "")
    throw workbenchError(
      "USAGE",
      { reason: "Give some words that describe the tool" },
      "For example: mcp-workbench search read a file",
    );
  const limit = readLimit(args.text("limit"));
  const toolbox = args.text("toolbox");
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench }) => {
    const servers = serversAt(workbench, toolbox === undefined ? {} : { toolbox });
    const step = new Progress(out).start(cachingProgress(workbench));
    const index = await searchIndex(workbench).finally(step.end);
    const unknown = servers.filter((server) => workbench.catalogues.known(server) === undefined);
    const [first] = unknown;
    if (first !== undefined && unknown.length === servers.length) throw unreachable(first);
    const hits = index.search(query, {
      limit,
      toolboxes: new Set(servers.map((server) => server.settings.toolbox)),
      accepts: seenHits(workbench),
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
    for (const hit of hits) out.print(hitLine(hit, out), "    ");
    if (hits.length === 0) showNoHits(query, workbench, out);
    if (unknown.length > 0) out.warn(notSearched(unknown));
    return EXIT.ok;
  });
}

// --- internal ---

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_HITS) return limit;
  throw workbenchError("USAGE", { reason: `--limit takes a number from 1 to ${MAX_HITS}` });
}

const MAX_NAMED = 3;

/** One line, however many there are: `doctor` has the details. */
function notSearched(servers: readonly Server[]): string {
  const [first] = servers;
  if (first !== undefined && servers.length === 1) {
    const { reason } = explainFailure(unreachable(first));
    return `${labelOf(first)} was not searched: ${safeLine(reason)}`;
  }
  const more = servers.length - MAX_NAMED;
  const names = servers.slice(0, MAX_NAMED).map(labelOf).join(", ");
  const all = more > 0 ? `${names} and ${more} more` : names;
  return `${servers.length} servers could not be searched: ${all}. See why: mcp-workbench doctor`;
}

const NEVER_USED =
  "it has never been used, and its secrets are read only when it is. List its tools once: mcp-workbench list TOOLBOX/SERVER";

function unreachable({ settings, failures }: Server): WorkbenchError {
  const { toolbox, name: server, unavailable } = settings;
  const reason =
    unavailable ??
    failures.lastError ??
    (mayPrompt(settings) ? NEVER_USED : "it could not be connected");
  const cause = { code: failures.lastErrorCode };
  return workbenchError("CONNECTION_FAILED", { toolbox, server, reason }, undefined, cause);
}
