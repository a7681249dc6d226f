import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { FakeClient, requestIn } from "../../test/support/fake-client.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { ClientCall } from "../calls/call.ts";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { type Job, type JobResult, runJob } from "./jobs.ts";
import { LargeResults } from "./large-results.ts";

const cleanup = perTest();
const AT = "params.arguments.arguments";
const LIMIT = { chars: 100 };
const TEXT = "a line\n".repeat(100);

function responseWith(result: object) {
  const read = readServerLine(Line.of(JSON.stringify({ jsonrpc: "2.0", id: 5, result })));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

const useTool = (args: unknown) =>
  requestIn(
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "use_tool",
        arguments: { tool: { toolbox: "t", server: "s", name: "n" }, arguments: args },
      },
    }),
  );

function scene(changes: { root?: string; maxBytes?: number; memoryMb?: number } = {}) {
  const { root = join(temporaryFolder(cleanup), "results"), ...changed } = changes;
  const messages: string[] = [];
  const options = {
    limit: "client" as const,
    maxBytes: 10_000,
    totalBytes: 20_000,
    idleMs: 3_600_000,
  };
  const settings = { ...options, messageBytes: 5000, memoryMb: 64, ...changed };
  const run = async <J extends Job>(job: J) => runJob(job) as JobResult<J>;
  const results = new LargeResults({
    settings: () => settings,
    debug: (message) => messages.push(message),
    run,
    root,
  });
  cleanup.defer(() => results.close());
  const client = new FakeClient([]);
  const call = new ClientCall(client, useTool({}));
  const store = (text: string) =>
    results.replace(
      call,
      responseWith({ content: [{ type: "text", text }], _meta: { a: 1 } }),
      LIMIT,
    );
  return { root, results, client, call, store, messages };
}

const textOf = (response: { parse(): { result?: unknown } }): string =>
  (response.parse().result as { content: { text: string }[] }).content[0]?.text ?? "";

describe("large results", () => {
  it("are stored, and the response describes them", async () => {
    const { store, client, results } = scene();
    const response = await store(TEXT);
    expect(response.id).toBe(5);
    expect(response.parse().result).toMatchObject({ _meta: { a: 1 } });
    expect(JSON.parse(textOf(response))).toMatchObject({ result: "r1", bytes: TEXT.length });
    expect(await results.of(client).read("r1")).toBe(TEXT);
    expect(await results.of(client).read("r2")).toBeUndefined();
  });

  it("stay as they are if they are small, or larger than may be stored", async () => {
    const { store, root } = scene({ maxBytes: 300 });
    expect(textOf(await store("small"))).toBe("small");
    const tiny = scene({ memoryMb: 300 / 1024 ** 2 });
    expect(textOf(await tiny.store(TEXT))).toBe(TEXT);
    expect(textOf(await store(TEXT))).toBe(TEXT);
    expect(readdirSync(join(root, readdirSync(root)[0] ?? ""))).toEqual([]);
  });

  it("stay as they are if their folder cannot be used, and the log says why", async () => {
    const root = join(temporaryFolder(cleanup), "file");
    writeFileSync(root, "");
    const { store, messages, results, client } = scene({ root });
    expect(textOf(await store(TEXT))).toBe(TEXT);
    expect(messages).toEqual([expect.stringContaining("could not be stored")]);
    expect(await results.of(client).store("x")).toBeUndefined();
  });

  it("stay as they are if a character has no encoding", async () => {
    const { store } = scene();
    const text = `${TEXT}\ud800`;
    expect(textOf(await store(text))).toBe(text);
  });

  it("can be referred to, and what is sent is read like a request of a client", async () => {
    const { store, results, client } = scene();
    await store(TEXT);
    const resolved = await results.resolve(client, useTool({ a: { $result: "r1" } }), AT);
    expect(resolved.params["arguments"]).toMatchObject({ arguments: { a: TEXT } });
    expect(resolved.idText).toBe("1");
    const same = useTool({ a: "$result" });
    expect(await results.resolve(client, same, AT)).toBe(same);
  });

  it.each([
    [{ $result: "r9" }, "Result 'r9' not found"],
    [{ $result: "r1", path: "a" }, "Invalid parameters: $result: 'r1' is text"],
    [{ a: { $result: "r2" }, b: { $result: "r2" } }, "more than 5000 bytes"],
    [{ $result: "r3", path: "[0]" }, "128 levels deep"],
  ])("are refused as arguments if that is wrong: %j", async (args, message) => {
    const { store, results, client } = scene();
    await store(TEXT);
    await store("x".repeat(3000));
    expect(await results.of(client).store(`[${"[".repeat(200)}${"]".repeat(200)}]`)).toBe("r3");
    await expect(results.resolve(client, useTool({ x: args }), AT)).rejects.toThrow(message);
  });

  it("of scripts are JSON if they are, when they are referred to", async () => {
    const { results, client, root } = scene();
    const stored = results.of(client);
    expect([await stored.store('{"a":1.0}'), await stored.store("{text}")]).toEqual(["r1", "r2"]);
    const list = useTool([{ $result: "r1" }, { $result: "r2" }]);
    const { text } = await results.resolve(client, list, AT);
    expect(text).toContain('[{"a":1.0},"{text}"]');
    const escaped = useTool({ a: 1 }).text.replace('{"a":1}', String.raw`{"$result":"\u00721"}`);
    const request = requestIn(escaped);
    expect((await results.resolve(client, request, AT)).text).toContain('{"a":1.0}');
    const folder = join(root, readdirSync(root)[0] ?? "");
    expect(readFileSync(join(folder, "r2"), "utf8")).toBe("{text}");
  });
});
