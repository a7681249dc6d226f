import { doubtAbout, otherQuery } from "../../search/doubt.ts";
import { nearestToolboxes } from "../../search/nearest-toolboxes.ts";
import { alsoIn, purposeOf } from "../../search/hit-text.ts";
import { signatureOf } from "../../search/signature.ts";
import type { Explanation, Hit } from "../../search/types.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../../text/safe-text.ts";
import { seenScope } from "./seen-tools.ts";

/** A tool that was found, for `--json`. */
export function hitReport(hit: Hit, why: Explanation | undefined): object {
  return {
    toolbox: hit.toolbox,
    server: hit.server,
    name: hit.tool.name,
    signature: signatureOf(hit.tool.inputSchema),
    description: purposeOf(hit, 200),
    ...(hit.also !== undefined && { also: hit.also }),
    ...(why !== undefined && {
      why: {
        words: Object.fromEntries(why.words.map(({ term, score }) => [term, rounded(score)])),
        meaning: rounded(why.closeness),
        ...(why.use > 0 && { use: rounded(why.use) }),
        isName: why.isExact,
      },
    }),
  };
}

const MAX_PURPOSE = 160;

/** One line about a tool that was found. */
export function hitLine(hit: Hit, { style }: Output): string {
  const identifier = `${hit.toolbox}/${hit.server}/${safeLine(hit.tool.name)}`;
  const signature = safeLine(signatureOf(hit.tool.inputSchema, 60));
  const purpose = safeLine(purposeOf(hit, MAX_PURPOSE));
  const callable = `${style.bold(identifier)}(${style.dim(signature)})`;
  const line = purpose === "" ? callable : `${callable} ${style.dim("—")} ${purpose}`;
  return `${line}${alsoIn(hit)}`;
}

/** What a result of `--why` has in common with the query. */
export function whyLine({ words, closeness, use, isExact }: Explanation): string {
  const total = words.reduce((sum, { score }) => sum + score, 0);
  const each = words.map(({ term, score }) => `${safeLine(term)} ${score.toFixed(2)}`).join(", ");
  const parts = [
    ...(isExact ? ["its name is the query"] : []),
    ...(words.length > 0 ? [`words ${total.toFixed(2)} (${each})`] : ["no word in common"]),
    `meaning ${closeness.toFixed(2)}`,
    ...(use > 0 ? [`used after similar searches ${use.toFixed(2)}`] : []),
  ];
  return parts.join(", ");
}

/** Says so if the tools do not fit well. */
export function showDoubt(out: Output, ...search: Parameters<typeof doubtAbout>): void {
  const doubt = doubtAbout(...search);
  if (doubt !== "") out.say(doubt);
}

export function showNoHits(query: string, workbench: Workbench, out: Output): void {
  const boxes = Array.from(seenScope(workbench).values(), ({ settings }) => settings);
  const near = nearestToolboxes(query, boxes, 3).map(({ name }) => name);
  out.say(`No tool matches. Closest toolboxes: ${near.join(", ")}\n${otherQuery(query)}`);
}

function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
