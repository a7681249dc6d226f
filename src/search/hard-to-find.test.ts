import { describe, expect, it } from "vitest";

import { hardToFind } from "./hard-to-find.ts";
import { ToolIndex } from "./tool-index.ts";
import type { ToolDefinition } from "./types.ts";

function found(servers: Readonly<Record<string, readonly ToolDefinition[]>>, maxTools = 100) {
  const index = new ToolIndex();
  const listed = Object.entries(servers).map(([server, tools]) => ({
    toolbox: "box",
    server,
    tools,
  }));
  for (const { toolbox, server, tools } of listed) index.replaceServer(toolbox, server, tools);
  return hardToFind(index, listed, maxTools);
}

/** Tools that say nothing of their own. */
const SAME: readonly ToolDefinition[] = Array.from({ length: 15 }, (_, i) => ({
  name: `call_${i}`,
  description: "Call the API",
  inputSchema: { properties: { [`field${"abcdefghijklmno"[i]}`]: {} } },
}));

describe("hardToFind", () => {
  it("finds nothing to report about tools that describe themselves", () => {
    expect(
      found({
        files: [{ name: "read", description: "Read a file" }, { name: "write" }],
        mail: [{ name: "send", description: "Send a message" }],
      }),
    ).toEqual([]);
  });

  it("reports tools that others always precede, with words of their own", () => {
    const missing = found({ api: SAME });
    expect(missing).toHaveLength(5);
    const [first] = missing;
    expect(first?.keywords.some((word) => word.startsWith("field"))).toBe(true);
  });

  it("suggests no words that other tools have, and no two forms of one", () => {
    const description = "Handles things in the system";
    const tools = Array.from({ length: 14 }, (_, i) => ({ name: `do_thing_${i}`, description }));
    const missing = found({ api: tools });
    expect(missing.length).toBeGreaterThan(0);
    expect(missing.flatMap(({ keywords }) => keywords)).toEqual([]);
    const inputSchema = { properties: { zebra: {}, zebras: {} } };
    const last = { name: "do_thing_9", description, inputSchema };
    const others = found({ api: [...tools.filter(({ name }) => name !== last.name), last] });
    const first = others.find(({ name }) => name === last.name);
    expect(first?.keywords).toEqual(["zebra"]);
  });

  it("counts the same tool in another server as found", () => {
    const tool = { name: "read", description: "Read a file" };
    expect(found(Object.fromEntries("abcdefghijkl".split("").map((s) => [s, [tool]])))).toEqual([]);
  });

  it("checks no more tools than it may", () => {
    expect(found({ api: SAME }, 3).length).toBeLessThanOrEqual(3);
  });
});
