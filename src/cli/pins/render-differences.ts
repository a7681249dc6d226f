import { type ValueChange, definitionChanges } from "../../pins/definition-changes.ts";
import type { Difference } from "../../pins/differences.ts";
import type { DiffPart } from "../../text/sequence-diff.ts";
import { visible } from "../../text/visible.ts";
import type { Style } from "../output/style.ts";
import type { ComparedServer } from "../../pins/compare-servers.ts";

/** How much of an unchanged or a new text is shown. */
const MAX_CONTEXT_CHARS = 60;
const MAX_CHANGED_CHARS = 20_000;
const SEVERITY_WIDTH = 8;

const LABELS = {
  tools: "tool",
  prompts: "prompt",
  resourceTemplates: "resource template",
  instructions: "instructions",
  source: "package",
  server: "server",
} as const;

/** The differences of a server for people, the severe ones first. */
export function renderServer({ key, differences }: ComparedServer, style: Style): string {
  return [style.bold(visible(key)), ...differences.map((one) => renderDifference(one, style))].join(
    "\n",
  );
}

function renderDifference(difference: Difference, style: Style): string {
  const { what, name, change, severity, reasons, before, after } = difference;
  const colour = { severe: style.red, review: style.yellow, cosmetic: style.dim }[severity];
  const subject = [LABELS[what], ...(name === "" ? [] : [visible(name)])].join(" ");
  const indent = " ".repeat(SEVERITY_WIDTH + 4);
  const isShown = change !== "removed" && after !== undefined;
  const isComparable = change !== "changed" || before !== undefined;
  const changes = isShown && isComparable ? definitionChanges(before, after) : [];
  const given = isShown && !isComparable ? definitionChanges(undefined, after) : changes;
  return [
    `  ${colour(severity.padEnd(SEVERITY_WIDTH))}  ${subject} ${change}`,
    ...reasons.map((reason) => `${indent}! ${visible(reason)}`),
    ...given.map((value) => `${indent}${renderChange(value, style)}`),
  ].join("\n");
}

function renderChange({ path, parts }: ValueChange, style: Style): string {
  const text = parts.map((part, index) => renderPart(part, index, parts.length, style)).join("");
  return path === "" ? text : `${visible(path)}: ${text}`;
}

/** Without colours, marks as in other word diffs: `[-removed-]` and `{+added+}`. */
function renderPart({ mark, text }: DiffPart, index: number, count: number, style: Style): string {
  if (mark === "-") return style.red(`[-${cut(text)}-]`);
  if (mark === "+") return style.green(`{+${cut(text)}+}`);
  const [isFirst, isLast] = [index === 0, index === count - 1];
  if (text.length <= 2 * MAX_CONTEXT_CHARS) return shown(text);
  const start = isFirst ? "" : text.slice(0, MAX_CONTEXT_CHARS);
  const end = isLast ? "" : text.slice(-MAX_CONTEXT_CHARS);
  return `${shown(start)} … ${shown(end)}`;
}

function cut(text: string): string {
  if (text.length <= MAX_CHANGED_CHARS) return shown(text);
  return `${shown(text.slice(0, MAX_CHANGED_CHARS))} … and ${text.length - MAX_CHANGED_CHARS} more characters`;
}

/** On one line, so that a text cannot look like lines of this program. */
function shown(text: string): string {
  return visible(text).replaceAll("\\u{a}", "⏎");
}
