/**
 * What docs/large-results.md shows is what agents get, and its table is the one that is used. In the
 * full suite because each page test starts several programs; docs.test.ts checks all pages in `npm
 * test`.
 */
import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { CLIENT_RESULT_LIMITS } from "../../src/clients/result-limits.ts";
import { parseConfig } from "../../src/config/load.ts";
import { answerFor } from "../../src/results/answer.ts";
import { blocksOf } from "./blocks.ts";

const page = readFileSync(new URL("../../docs/large-results.md", import.meta.url), "utf8");
const [example = "", reference = ""] = blocksIn("json");

function blocksIn(language: string): string[] {
  return blocksOf(page)
    .filter((block) => block.language === language)
    .map(({ lines }) => lines.join("\n"));
}

const WORDS = "the quick brown fox jumps over a lazy dog while reviewing issues".split(" ");

/** A list of issues with texts of 150 to 480 characters. */
function issues(): object {
  const body = (id: number, length: number): string => {
    let text = "";
    for (let k = 0; text.length < length; k++) text += `${WORDS[(id * 7 + k * k) % WORDS.length]} `;
    return text.slice(0, length);
  };
  const rows = Array.from({ length: 8000 }, (_, id) => ({
    id,
    title: `Issue ${id}`,
    body: body(id, 150 + ((id * 37) % 331)),
  }));
  return { total: rows.length, rows };
}

describe("docs/large-results.md", () => {
  it("shows the answer for a list of 8,000 issues, and what it costs", () => {
    const value = issues();
    const text = JSON.stringify(value);
    const answer = answerFor({ id: "r7", text, value, fits: true });
    const { head, ...rest } = JSON.parse(answer) as { head: string };
    const { head: shown, ...others } = JSON.parse(example) as { head: string };
    expect(others).toEqual(rest);
    expect(head.startsWith(shown.slice(0, -1))).toBe(true);
    const [, all = "", described = ""] =
      /has ([\d,]+) tokens; its description has (\d+)/.exec(page) ?? [];
    expect(countTokens(answer)).toBe(Number(described));
    // Of the whole text, a part is counted.
    const part = 250_000;
    const estimate = (countTokens(text.slice(0, part)) * text.length) / part;
    expect(Math.round(estimate / 1000) * 1000).toBe(Number(all.replaceAll(",", "")));
  });

  it("has the limits that are used", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"));
    const written = rows.filter((row) =>
      CLIENT_RESULT_LIMITS.some(({ name }) => row.includes(`\`${name}`)),
    );
    expect(written).toHaveLength(CLIENT_RESULT_LIMITS.length);
    for (const { name, isPrefix, chars, bytes, lines, date } of CLIENT_RESULT_LIMITS) {
      const row = rows.find((line) => line.includes(`\`${name}${isPrefix ? "…" : ""}\``)) ?? "";
      const parts = Object.entries({ characters: chars, bytes, lines }).flatMap(([unit, count]) =>
        count === undefined ? [] : [`${count.toLocaleString("en-US")} ${unit}`],
      );
      for (const part of [...parts, date]) expect(row).toContain(part);
    }
  });

  it("has settings and arguments that are accepted", async () => {
    const [config = ""] = blocksIn("jsonc");
    const settings = await parseConfig(config, { env: {}, cwd: "/" });
    expect(settings.results).toEqual({
      limit: 20_000,
      maxBytes: 16_777_216,
      totalBytes: 268_435_456,
      idleMs: 7_200_000,
    });
    expect(JSON.parse(reference)).toMatchObject({ arguments: { content: { $result: "r7" } } });
  });
});
