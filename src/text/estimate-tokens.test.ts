import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { SERVERS } from "../../test/fixtures/tool-corpus.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const PROSE = [
  "An agent that is connected to fifteen servers reads tens of thousands of tokens of tool definitions before it hears the first question. Most of them are never used.",
  "Reads the complete contents of a file from the file system. Handles various text encodings and provides detailed error messages if the file cannot be read. Use 'head' to read only the first N lines.",
  "Runs a PromQL query against a Prometheus data source.\n\nArgs:\n    expr (str): The expression, e.g. `rate(http_requests_total[5m])`.\n    start (str): RFC 3339 time such as 2024-05-01T12:00:00Z.\n\nReturns:\n    list[dict]: One entry for each time series.",
  "- **Create** issues, - *merge* pull requests, and - review code on [GitHub](https://docs.github.com/en/rest/pulls). Requires the GITHUB_TOKEN environment variable.",
];
const FOREIGN = [
  "Поиск файлов в каталоге по имени и расширению",
  "Sucht nach Dateien in einem Verzeichnis, auch in größeren Ordnern",
  "カレンダーに新しいイベントを作成する",
  "달력에 새 이벤트를 만듭니다",
  "搜索数据库中的所有表并返回结果",
];

function relativeError(text: string): number {
  return Math.abs(estimateTokens(text) / countTokens(text) - 1);
}

describe("estimateTokens", () => {
  const definitions = SERVERS.flatMap(({ tools }) => tools).map((tool) => JSON.stringify(tool));

  it.each(definitions)("is within 20 % for the definition %s", (definition) => {
    expect(relativeError(definition)).toBeLessThan(0.2);
  });

  it("is within 5 % for a catalogue of definitions", () => {
    expect(relativeError(`[${definitions.join(",")}]`)).toBeLessThan(0.05);
  });

  it.each(PROSE)("is within 15 % for prose: %s", (text) => {
    expect(relativeError(text)).toBeLessThan(0.15);
  });

  it.each(FOREIGN)("is within 40 % for other languages: %s", (text) => {
    expect(relativeError(text)).toBeLessThan(0.4);
  });

  it("is zero for an empty text and positive for any visible text", () => {
    expect(estimateTokens("")).toBe(0);
    fc.assert(
      fc.property(anyText(), (text) => {
        fc.pre(/[^ ]/.test(text));
        expect(estimateTokens(text)).toBeGreaterThan(0);
      }),
    );
  });
});
