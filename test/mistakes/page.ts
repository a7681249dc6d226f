/** The table of mistakes in `docs/discovery.md`. */
import { readFileSync } from "node:fs";
import { MISTAKES } from "./mistakes.ts";
import type { Run } from "./scripted-agent.ts";

const PAGE = new URL("../../docs/discovery.md", import.meta.url);
const START = "<!-- Written by `npm run mistakes`. Do not edit. -->";
const END = "<!-- end of the generated part -->";

/** The page with this table in it. */
export function pageWith(before: readonly Run[], now: readonly Run[]): string {
  const page = readFileSync(PAGE, "utf8");
  const start = page.indexOf(START);
  const end = page.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error("docs/discovery.md has no place for the table");
  return `${page.slice(0, start + START.length)}\n\n${table(before, now)}\n\n${page.slice(end)}`;
}

function table(before: readonly Run[], now: readonly Run[]): string {
  const rows = MISTAKES.map(({ title }, i) => cells(title, before[i], now[i]));
  return [
    "| mistake | calls in 0.1.0 | calls now | tokens in 0.1.0 | tokens now |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...rows,
    cells("**all twelve**", sum(before), sum(now)),
  ].join("\n");
}

function cells(title: string, before: Run | undefined, now: Run | undefined): string {
  const numbers = [before?.calls, now?.calls, before?.tokens, now?.tokens];
  const shown = numbers.map((number) => (number ?? 0).toLocaleString("en-US"));
  return `| ${title} | ${shown.join(" | ")} |`;
}

function sum(runs: readonly Run[]): Run {
  const total = (of: (run: Run) => number): number => runs.reduce((all, run) => all + of(run), 0);
  return { calls: total(({ calls }) => calls), tokens: total(({ tokens }) => tokens) };
}
