import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../test/support/fake-connection.ts";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import { Catalogue } from "../servers/tools/catalogue.ts";
import { Line } from "../wire/lines.ts";
import { readServerLine } from "../wire/response.ts";
import { ClientCall, type LargeResults, type ResultLearner, type Step } from "./call.ts";
import type { OnFailed } from "./destination.ts";
import { dispatch } from "./dispatch.ts";
import { cancel } from "./settle.ts";

const tool = { toolbox: "dev", server: "fx", name: "echo" };
const useTool = requestIn(
  JSON.stringify({
    jsonrpc: "2.0",
    id: "c-1",
    method: "tools/call",
    params: { name: "use_tool", arguments: { tool } },
  }),
);

/** A connected server with one tool, and a client that calls it. */
function scene(onFailed: OnFailed, steps: readonly Step[] = []) {
  const fake = new FakeConnection();
  const value = { name: "echo" };
  fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
  const one = fakeServer(fake);
  const client = new FakeClient([one], "legacy", undefined, steps);
  const call = new ClientCall(client, useTool);
  const { server } = one;
  dispatch(call, () => ({ server, tool, argumentsAt: "params.arguments.arguments", onFailed }));
  return { fake, client, call };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a destination that takes failed responses", () => {
  const failed = { content: [], isError: true };

  /** Starts a call whose failed response is replaced when `release` is called. */
  function failing(steps: readonly Step[] = []) {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const seen: unknown[] = [];
    const onFailed: OnFailed = async ({ tool: callable, response }) => {
      seen.push(callable.value);
      await released;
      const line = Line.of(response.withId(String(response.id)).replace("[]", '["more"]'));
      const read = readServerLine(line);
      if (read.kind !== "answer") throw new Error("not an answer");
      return read.response;
    };
    return { ...scene(onFailed, steps), release, seen };
  }

  it("decides what the client gets", async () => {
    const { fake, client, call, release, seen } = failing();
    fake.answer(1, failed);
    expect(call.state).toBe("returned");
    expect(client.outcomes).toEqual([]);
    release();
    await soon();
    expect(seen).toEqual([{ name: "echo" }]);
    expect(client.answers).toMatchObject([{ result: { content: ["more"], isError: true } }]);
  });

  it("decides what the steps get", async () => {
    const results: unknown[] = [];
    const { fake, release } = failing([
      async (_call, next) => {
        const outcome = await next();
        results.push(outcome.kind === "response" && outcome.response.parse().result);
        return outcome;
      },
    ]);
    await soon();
    fake.answer(1, failed);
    release();
    await soon();
    expect(results).toEqual([{ content: ["more"], isError: true }]);
  });

  it("sees no response that reports success, which the client gets at once", () => {
    const { fake, client, seen } = failing();
    fake.answer(1, { content: [], isError: false });
    expect(client.answers).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  it("does not answer a call that the client cancelled in the meantime", async () => {
    const { fake, client, call, release } = failing();
    fake.answer(1, failed);
    cancel(call, "enough");
    release();
    await soon();
    expect(client.outcomes).toEqual([{ kind: "cancelled", reason: "enough" }]);
    expect(call.state).toBe("settled");
  });

  it("that fails leaves the response unchanged", async () => {
    const { fake, client } = scene(() => Promise.reject(new Error("broken")));
    fake.answer(1, failed);
    await soon();
    expect(client.answers).toMatchObject([{ result: failed }]);
  });
});

describe("results that are too large for their client", () => {
  const large = { content: [{ type: "text", text: "x".repeat(200) }] };

  /** Starts a call whose results of more than `minBytes` are replaced when `release` is called. */
  function storing(minBytes: number, mayStoreResult?: boolean) {
    let release = (): void => {};
    const promise = new Promise<void>((resolve) => (release = resolve));
    const fake = new FakeConnection();
    const value = { name: "echo" };
    fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
    const one = fakeServer(fake);
    const client = new FakeClient([one]);
    const asked: unknown[] = [];
    const results: LargeResults = {
      minBytes,
      isUsed: true,
      replace: (_call, { value: definition }, response) => {
        asked.push(definition);
        const line = Line.of(response.withId(String(response.id)).replace(/x{2,}/, "stored"));
        const read = readServerLine(line);
        return promise.then(() => (read.kind === "answer" ? read.response : response));
      },
      resolve: () => undefined,
      of: () => ({ read: async () => undefined, store: async () => undefined }),
    };
    Object.assign(client.pipeline, { results });
    const call = new ClientCall(client, useTool);
    const argumentsAt = "params.arguments.arguments";
    dispatch(call, () => ({ server: one.server, tool, argumentsAt, mayStoreResult }));
    return { fake, client, call, asked, release: () => release() };
  }

  it("are replaced, and the workbench ends after that", async () => {
    const { fake, client, call, asked, release } = storing(100, true);
    fake.answer(1, large);
    expect(call.state).toBe("returned");
    expect(client.pipeline.unfinished.size).toBe(1);
    release();
    await soon();
    expect(asked).toEqual([{ name: "echo" }]);
    expect(client.answers).toMatchObject([{ result: { content: [{ text: "stored" }] } }]);
    expect(client.pipeline.unfinished.size).toBe(0);
  });

  it.each([
    ["smaller", 1000, true],
    ["not to be stored", 100, undefined],
  ])("are passed on at once if they are %s", (_, minBytes, mayStoreResult) => {
    const { fake, client, asked } = storing(minBytes, mayStoreResult);
    fake.answer(1, large);
    expect(client.answers).toMatchObject([{ result: large }]);
    expect(asked).toEqual([]);
  });

  it("are not sent to a client that has cancelled its call", async () => {
    const { fake, client, call, release } = storing(100, true);
    fake.answer(1, large);
    cancel(call, "no longer needed");
    release();
    await soon();
    expect(client.outcomes).toMatchObject([{ kind: "cancelled" }]);
  });
});

describe("results from which a learner learns", () => {
  const answered = { content: [{ type: "text", text: "x".repeat(200) }] };

  function learning(more: object = {}) {
    const fake = new FakeConnection();
    const value = { name: "echo" };
    fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
    const one = fakeServer(fake);
    const client = new FakeClient([one]);
    const done = new Set<unknown>();
    const taken: unknown[] = [];
    const learner: ResultLearner = {
      done,
      take: (_call, learned, response) => {
        taken.push(response.parse().result);
        done.add(learned);
      },
    };
    Object.assign(client.pipeline, { learner, ...more });
    const argumentsAt = "params.arguments.arguments";
    const start = (): void =>
      dispatch(new ClientCall(client, useTool), () => ({
        server: one.server,
        tool,
        argumentsAt,
        mayStoreResult: true,
      }));
    return { fake, client, taken, start };
  }

  it("are taken until the tool is done", () => {
    const { fake, client, taken, start } = learning();
    for (const id of [1, 2]) {
      start();
      fake.answer(id, answered);
    }
    expect(client.answers).toHaveLength(2);
    expect(taken).toEqual([answered]);
  });

  it("are those of the server, not what the client gets instead", async () => {
    const results: Partial<LargeResults> = {
      minBytes: 100,
      isUsed: false,
      replace: async (_call, _tool, response) => {
        const line = Line.of(response.withId(String(response.id)).replace(/x{2,}/, "stored"));
        const read = readServerLine(line);
        return read.kind === "answer" ? read.response : response;
      },
    };
    const { fake, client, taken, start } = learning({ results });
    start();
    fake.answer(1, answered);
    await soon();
    expect(client.answers).toMatchObject([{ result: { content: [{ text: "stored" }] } }]);
    expect(taken).toEqual([answered]);
  });
});
