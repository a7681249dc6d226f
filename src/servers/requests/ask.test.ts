import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";

import { FakeConnection, type Message } from "../../../test/support/fake-connection.ts";
import { ServerRpcError, ask, askRaw } from "./ask.ts";
import { listAll } from "./list-all.ts";

/** A connection whose server answers every request with the result of the function. */
function answering(answer: (message: Message) => unknown): FakeConnection {
  const fake = new FakeConnection();
  fake.channel.onSend = (message) => fake.answer(message["id"], answer(message));
  return fake;
}

describe("ask", () => {
  it("returns the result", async () => {
    const fake = answering(() => ({ a: 1 }));
    expect(await ask(fake.connection, "x", { p: 1 })).toEqual({ a: 1 });
    expect(fake.channel.sent).toEqual([{ jsonrpc: "2.0", id: 1, method: "x", params: { p: 1 } }]);
  });

  it.each([[null], ["text"], [[1]]])(
    "treats the result %j, which is not an object, as an empty object",
    async (result) => {
      expect(await ask(answering(() => result).connection, "x", {})).toEqual({});
    },
  );

  it("rejects with the server's own error, distinct from errors of the workbench", async () => {
    const fake = new FakeConnection();
    fake.channel.onSend = ({ id }) => fake.refuse(id, -32042, "not today");
    const error = await ask(fake.connection, "x", {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerRpcError);
    expect(error).toMatchObject({
      message: "not today (code -32042)",
      rpc: { code: -32042, message: "not today" },
    });
  });

  it("rejects when the server's error is not an object", async () => {
    const fake = new FakeConnection();
    fake.channel.onSend = ({ id }) =>
      fake.receive(`{"jsonrpc":"2.0","id":${String(id)},"error":"odd"}`);
    await expect(ask(fake.connection, "x", {})).rejects.toThrow("odd");
  });

  it.each(["result", "error"])("rejects when a large %s is not valid JSON", async (kind) => {
    const fake = new FakeConnection();
    const garbage = `{"jsonrpc":"2.0","id":1,"${kind}":{NaN${" ".repeat(20_000)}}}`;
    fake.channel.onSend = () => fake.receive(garbage);
    await expect(ask(fake.connection, "x", {})).rejects.toThrow(/JSON/);
  });

  it("rejects when the connection is lost, and when it was lost before", async () => {
    const fake = new FakeConnection();
    const asked = ask(fake.connection, "x", {});
    fake.connection.input.onLost("gone");
    await expect(asked).rejects.toMatchObject({ code: "SERVER_DIED" });
    const late = ask(fake.connection, "x", {});
    await expect(late).rejects.toMatchObject({ code: "CALL_NOT_DELIVERED" });
  });

  it("adds the connection's envelope and keeps the `_meta` it is given", async () => {
    const fake = answering(() => ({}));
    fake.connection.envelope = { version: "v" };
    await ask(fake.connection, "x", { _meta: { own: 1 } });
    expect(fake.channel.sent).toMatchObject([{ params: { _meta: { own: 1, version: "v" } } }]);
  });
});

describe("askRaw", () => {
  it("reports progress", async () => {
    const fake = new FakeConnection();
    fake.channel.onSend = ({ id, params }) => {
      const { _meta: meta } = params as { _meta: Message };
      const { progressToken } = meta;
      const report = { progressToken, progress: 1 };
      fake.receive({ jsonrpc: "2.0", method: "notifications/progress", params: report });
      fake.answer(id);
    };
    const received: unknown[] = [];
    await askRaw(fake.connection, "x", {}, { onProgress: (progress) => received.push(progress) });
    expect(received).toMatchObject([{ progress: 1 }]);
  });

  it("cancels the request when its signal aborts", async () => {
    const fake = new FakeConnection();
    const controller = new AbortController();
    const asked = askRaw(fake.connection, "x", {}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1, reason: "enough" } },
    ]);
    fake.answer(1);
    expect(fake.connection.calls.waiting).toBe(0);
  });

  it("sends nothing when its signal was aborted before", async () => {
    const fake = new FakeConnection();
    const asked = askRaw(fake.connection, "x", {}, { signal: AbortSignal.abort() });
    await expect(asked).rejects.toThrow("aborted");
    expect(fake.channel.sent).toEqual([]);
  });

  it("leaves no listener on a signal that outlives the request", async () => {
    const { signal } = new AbortController();
    const fake = answering(() => ({}));
    for (let i = 0; i < 20; i++) await askRaw(fake.connection, "x", {}, { signal });
    fake.channel.onSend = ({ id }) => fake.refuse(id);
    await askRaw(fake.connection, "x", {}, { signal }).catch(() => {});
    fake.connection.input.onLost("gone");
    await askRaw(fake.connection, "x", {}, { signal }).catch(() => {});
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("refuses requests from the server", () => {
    const fake = new FakeConnection();
    void askRaw(fake.connection, "x", {}).catch(() => {});
    const [call] = fake.connection.calls.values();
    const refused: boolean[] = [];
    call?.caller.onServerRequest({ refuseMethod: () => refused.push(true) } as never, call);
    expect(refused).toEqual([true]);
  });
});

describe("listAll", () => {
  const pages =
    (...lists: { tools: unknown[]; nextCursor?: unknown }[]) =>
    ({ params }: Message): unknown => {
      const { cursor = "0" } = params as { cursor?: string };
      return lists[Number(cursor)];
    };
  const names = async (fake: FakeConnection): Promise<unknown[]> =>
    (await listAll(fake.connection, "tools/list", "tools")).map(({ value }) => value["name"]);

  it("collects the items of all pages", async () => {
    const fake = answering(
      pages(
        { tools: [{ name: "a" }, { name: "b" }], nextCursor: "1" },
        { tools: [], nextCursor: "2" },
        { tools: [{ name: "c" }] },
      ),
    );
    expect(await names(fake)).toEqual(["a", "b", "c"]);
    expect(fake.channel.sent.map(({ params }) => params)).toEqual([
      {},
      { cursor: "1" },
      { cursor: "2" },
    ]);
  });

  it("treats the empty string as a valid cursor", async () => {
    const fake = answering(({ params }) =>
      "cursor" in (params as object) ? { tools: [{ name: "b" }] } : { tools: [], nextCursor: "" },
    );
    expect(await names(fake)).toEqual(["b"]);
  });

  it("stops at a cursor it has seen before", async () => {
    const fake = answering(() => ({ tools: [{ name: "a" }], nextCursor: "again" }));
    expect(await names(fake)).toEqual(["a", "a"]);
  });

  it("stops after the maximum number of pages", async () => {
    let next = 0;
    const fake = answering(() => ({ tools: [], nextCursor: `c${next++}` }));
    expect(await names(fake)).toEqual([]);
    expect(fake.channel.sent.length).toBe(100);
  });

  it.each([
    ["nothing", { pages: 3, items: 3 }, ["a", "b", "c"]],
    ["pages", { pages: 2, items: 3 }, ["a", "b"]],
    ["items", { pages: 3, items: 2 }, ["a", "b"]],
  ])("reports what it leaves out: %s", async (what, limits, kept) => {
    const fake = answering(
      pages(
        { tools: [{ name: "a" }], nextCursor: "1" },
        { tools: [{ name: "b" }], nextCursor: "2" },
        { tools: [{ name: "c" }] },
      ),
    );
    const exceeded: string[] = [];
    const listed = await listAll(fake.connection, "tools/list", "tools", {
      ...limits,
      exceeded: (limit) => void exceeded.push(limit),
    });
    expect(listed.map(({ value }) => value["name"])).toEqual(kept);
    expect(exceeded).toEqual(what === "nothing" ? [] : [what]);
    expect(fake.channel.sent).toHaveLength(kept.length);
  });

  it("keeps no more than the maximum number of items, even from one page", async () => {
    const tools = Array.from({ length: 200_000 }, () => ({ name: "a" }));
    const fake = answering(() => ({ tools }));
    expect((await names(fake)).length).toBe(10_000);
  });

  it("keeps each item as the server wrote it, except for white space", async () => {
    const fake = new FakeConnection();
    fake.channel.onSend = () =>
      fake.receive('{"jsonrpc":"2.0","id":1,"result":{"tools":[ { "name" : "a" , "n": 1.0 } ]}}');
    expect(await listAll(fake.connection, "tools/list", "tools")).toEqual([
      { value: { name: "a", n: 1 }, text: '{"name":"a","n":1.0}' },
    ]);
  });

  it("leaves out items that are not objects and keeps the others in order", async () => {
    const tools = [1, { name: "a" }, null, "x", { name: "b" }];
    const listed = await listAll(answering(() => ({ tools })).connection, "tools/list", "tools");
    expect(listed.map(({ text }) => text)).toEqual(['{"name":"a"}', '{"name":"b"}']);
  });

  it.each([
    ["has no name", '{"title":"t"}'],
    ["has a name that is no string", '{"name":{"toString":1,"valueOf":1}}'],
    ["has a key that could be mistaken for its name", '{"name":"b","Name":"a"}'],
    ["has a key that could be mistaken for its description", '{"name":"b","DESCRIPTION":"d"}'],
    ["has its name twice", '{"name":"b","name":"b"}'],
    ["has a name written with escapes", String.raw`{"n\u0061me":"b"}`],
  ])("leaves out an item that %s", async (_what, item) => {
    const fake = new FakeConnection();
    fake.channel.onSend = () =>
      fake.receive(`{"jsonrpc":"2.0","id":1,"result":{"tools":[${item},{"name":"a"}]}}`);
    const listed = await listAll(fake.connection, "tools/list", "tools");
    expect(listed.map(({ text }) => text)).toEqual(['{"name":"a"}']);
  });

  it.each([[{}], [{ tools: {} }], [null]])(
    "rejects the answer %j, which has no list",
    async (result) => {
      await expect(names(answering(() => result))).rejects.toThrow(
        "its answer to tools/list has no list 'tools'",
      );
    },
  );
});
