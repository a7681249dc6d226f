/**
 * The picture of the README shows what the program prints. In the full suite because it runs the
 * programs of the picture.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PICTURE, renderPicture } from "../scripts/picture/picture.ts";
import { renderSvg } from "../scripts/picture/render-svg.ts";
import { parseTerminalText } from "../scripts/picture/terminal-text.ts";

const ROOT = new URL("../", import.meta.url);

describe("the picture of the README", () => {
  it("shows what `init` prints (otherwise run `npm run picture`)", async () => {
    const picture = await renderPicture();
    expect(picture).toContain("All 3 servers work.");
    expect(readFileSync(new URL(PICTURE, ROOT), "utf8")).toBe(picture);
  });

  it("is in the README, with the figures that it shows", () => {
    const readme = readFileSync(new URL("README.md", ROOT), "utf8");
    const picture = readFileSync(new URL(PICTURE, ROOT), "utf8");
    const [, before, after] =
      /!\[[^\]]* ([\d,]+) tokens become (\d+)\]\(docs\/init\.svg\)/.exec(readme) ?? [];
    expect(picture).toContain(`>${before} tokens<`);
    expect(picture).toContain(`>${after} tokens<`);
  });
});

describe("text with colours", () => {
  it("becomes spans with a column and a look", () => {
    const plain = { isBold: false, isDim: false, colour: undefined };
    expect(parseTerminalText("a \u001b[1;32mb\u001b[22mc\n\u001b[39m✓ d")).toEqual([
      [
        { ...plain, column: 0, text: "a " },
        { ...plain, column: 2, text: "b", isBold: true, colour: "green" },
        { ...plain, column: 3, text: "c", colour: "green" },
      ],
      [{ ...plain, column: 0, text: "✓ d" }],
    ]);
  });

  it.each(["\u001b[K", "\u001b[35m", "\u001b]0;title\u0007"])("is refused with %j", (sequence) => {
    expect(() => parseTerminalText(`a${sequence}b`)).toThrow(/Unknown/);
  });

  it("is escaped in the picture", () => {
    const svg = renderSvg({ title: "a & b", lines: parseTerminalText("<x> & y") });
    expect(svg).toContain("<title>a &amp; b</title>");
    expect(svg).toContain(">&lt;x&gt; &amp; y</text>");
  });
});
