import { EXIT, workbenchError } from "../../errors.ts";
import { MAX_HITS } from "../../search/answer.ts";
import { distinctHits } from "../../search/twins.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { cachingProgress } from "./caching-progress.ts";
import { explainFailure } from "./connect.ts";
import { notSearched, unreachable } from "./not-searched.ts";
import { hitLine, hitReport, showDoubt, showNoHits, whyLine } from "./search-output.ts";
import { searchIndex } from "./search-index.ts";
import { discoverInShared } from "./running-shared.ts";
import { ownBoosts, seenHits } from "./seen-tools.ts";
import { configuration, serversAt } from "./target.ts";
import { withWorkbench } from "./with-workbench.ts";
import { readCount } from "../core/read-count.ts";

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
  const limit = readCount(args, "limit", DEFAULT_LIMIT, MAX_HITS);
  const toolbox = args.text("toolbox");
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench }) => {
    const servers = serversAt(workbench, toolbox === undefined ? {} : { toolbox });
    const step = new Progress(out).start(cachingProgress(workbench));
    // Servers that a shared workbench runs are not started a second time.
    const index = await discoverInShared(settings)
      .then(() => searchIndex(workbench))
      .finally(step.end);
    const unknown = servers.filter((server) => workbench.catalogues.known(server) === undefined);
    const [first] = unknown;
    if (first !== undefined && unknown.length === servers.length) throw unreachable(first);
    const toolboxes = new Set(servers.map((server) => server.settings.toolbox));
    const accepts = seenHits(workbench);
    const boosts = await ownBoosts(workbench, query);
    const options = { toolboxes, accepts, boosts };
    const hits = distinctHits((most) => index.search(query, { ...options, limit: most }), limit);
    const why = args.flag("why") ? index.explain(query, hits, options) : [];
    out.document({
      query,
      hits: hits.map((hit, i) => hitReport(hit, why[i])),
      failed: unknown.map((server) => ({
        toolbox: server.settings.toolbox,
        server: server.name,
        reason: explainFailure(unreachable(server)).reason,
      })),
    });
    for (const [i, hit] of hits.entries()) {
      out.print(hitLine(hit, out), "    ");
      const reasons = why[i];
      if (reasons !== undefined) out.print(`    ${out.style.dim(whyLine(reasons))}`, "    ");
    }
    if (hits.length === 0) showNoHits(query, workbench, out);
    else
      showDoubt(out, query, hits, limit, (step, most) =>
        index.search(step, { toolboxes, accepts, limit: most }),
      );
    if (unknown.length > 0) out.warn(notSearched(unknown));
    return EXIT.ok;
  });
}
