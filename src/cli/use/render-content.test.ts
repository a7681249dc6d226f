import { readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { type FakeOptions, fakeTerminal } from "../../../test/support/fake-terminal.ts";
import { renderResult } from "./render-content.ts";

let folder = "";
beforeEach(async () => {
  folder = newFolder("render");
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const render = (result: Record<string, unknown>, options: FakeOptions = {}): Promise<string> =>
  renderResult(result, { out: fakeTerminal(options).out, folder, tool: "a/b tool" });
const text = (value: string): object => ({ type: "text", text: value });
const TERMINAL = { stdoutIsTerminal: true };

describe("the rendered result of a tool", () => {
  it("is its text with a line break at the end", async () => {
    expect(await render({ content: [text("one"), text("two\n")] })).toBe("one\ntwo\n");
  });

  it("keeps every character when redirected, and escapes control characters in a terminal", async () => {
    const result = { content: [text("\u001b[31mred")] };
    expect(await render(result)).toBe("\u001b[31mred\n");
    expect(await render(result, TERMINAL)).toBe("\\u001b[31mred\n");
  });

  it("is indented in a terminal if it is JSON, unless that would change it", async () => {
    expect(await render({ content: [text('{"a":[1]}')] })).toBe('{"a":[1]}\n');
    expect(await render({ content: [text('{"a":[1]}')] }, TERMINAL)).toBe(
      '{\n  "a": [\n    1\n  ]\n}\n',
    );
    const exact = '{"id":12345678901234567890}';
    expect(await render({ content: [text(exact)] }, TERMINAL)).toBe(`${exact}\n`);
    expect(await render({ content: [text("{not json}")] }, TERMINAL)).toBe("{not json}\n");
  });

  it("is the structured content if there is no other content", async () => {
    expect(await render({ content: [], structuredContent: { a: 1 } })).toBe('{\n  "a": 1\n}\n');
    expect(await render({})).toBe("");
  });

  it("saves images, audio and other files under separate names", async () => {
    const data = Buffer.from("bytes").toString("base64");
    const content = [
      { type: "image", data, mimeType: "image/png" },
      { type: "audio", data, mimeType: "audio/mpeg; x=1" },
      { type: "resource", resource: { uri: "x:/1", blob: data } },
    ];
    const lines = (await render({ content })).trimEnd().split("\n");
    expect(lines).toEqual(
      ["1.png", "2.mp3", "3.bin"].map((end) => join(folder, `a-b-tool-${end}`)),
    );
    expect(await readFile(lines[0] ?? "", "utf8")).toBe("bytes");
    expect((await stat(lines[0] ?? "")).mode & 0o777).toBe(0o600);
    await render({ content });
    expect((await readdir(folder)).length).toBe(6);
  });

  it("names linked resources and includes embedded ones", async () => {
    const content = [
      { type: "resource_link", uri: "file:///a", name: "A file" },
      { type: "resource", resource: { uri: "x:/2", text: "inside" } },
      { type: "hologram", voxels: [] },
      "nonsense",
    ];
    expect(await render({ content })).toBe(
      'file:///a (A file)\ninside\n{\n  "type": "hologram",\n  "voxels": []\n}\n"nonsense"\n',
    );
  });

  it("reports a folder that it cannot write to", async () => {
    const content = [{ type: "image", data: "AA==", mimeType: "image/png" }];
    const options = { out: fakeTerminal().out, folder: "/dev/null/x", tool: "t" };
    await expect(renderResult({ content }, options)).rejects.toThrow("Cannot write /dev/null/x");
  });
});
