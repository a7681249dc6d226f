import { nearestToolboxes } from "../../search/nearest-toolboxes.ts";
import { firstSentence } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import type { Hit } from "../../search/types.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../../text/safe-text.ts";
import { seenScope } from "./seen-tools.ts";

/** A tool that was found, for `--json`. */
export function hitReport(hit: Hit): object {
  return {
    toolbox: hit.toolbox,
    server: hit.server,
    name: hit.tool.name,
    signature: signatureOf(hit.tool.inputSchema),
    description: descriptionOf(hit, 200),
  };
}

const MAX_PURPOSE = 160;

/** One line about a tool that was found. */
export function hitLine(hit: Hit, { style }: Output): string {
  const identifier = `${hit.toolbox}/${hit.server}/${safeLine(hit.tool.name)}`;
  const signature = safeLine(signatureOf(hit.tool.inputSchema, 60));
  const purpose = safeLine(descriptionOf(hit, MAX_PURPOSE));
  const callable = `${style.bold(identifier)}(${style.dim(signature)})`;
  return purpose === "" ? callable : `${callable} ${style.dim("—")} ${purpose}`;
}

export function showNoHits(query: string, workbench: Workbench, out: Output): void {
  const boxes = Array.from(seenScope(workbench).values(), ({ settings }) => settings);
  const near = nearestToolboxes(query, boxes, 3).map(({ name }) => name);
  out.say(`No tool matches. Closest toolboxes: ${near.join(", ")}`);
}

function descriptionOf({ tool }: Hit, length: number): string {
  const { description, title } = tool;
  const text = typeof description === "string" && description !== "" ? description : title;
  return typeof text === "string" ? firstSentence(text, length) : "";
}
