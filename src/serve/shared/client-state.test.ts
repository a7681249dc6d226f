import { describe, expect, it } from "vitest";

import { ClientState } from "./client-state.ts";

const request = (id: number | string, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const call = (id: number, name: string, args: object = {}): string =>
  request(id, "tools/call", { name, arguments: args });
const notification = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });
const MODERN = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };

const lost = (state: ClientState): unknown[] => [...state.onLost()].map((text) => JSON.parse(text));
const repeated = (state: ClientState): unknown[] =>
  [...state.repeated()].map(({ text }) => JSON.parse(text));

const CUT_OFF = "The workbench stopped. A call in progress may or may not have taken effect";

describe("a client whose shared workbench ends", () => {
  it("gets an answer to every call that has none yet, in the form of its method and era", () => {
    const state = new ClientState(undefined, false);
    state.sent(call(1, "use_tool"));
    state.sent(call(2, "use_tool"));
    state.sent(request("x", "prompts/list"));
    state.sent(request(3, "tools/call", { name: "use_tool", ...MODERN }));
    state.onAnswer("2");
    expect(state.isWaiting).toBe(true);
    const content = [{ type: "text", text: CUT_OFF }];
    expect(lost(state)).toEqual([
      { jsonrpc: "2.0", id: 1, result: { content, isError: true } },
      { jsonrpc: "2.0", id: "x", error: { code: -32603, message: CUT_OFF } },
      { jsonrpc: "2.0", id: 3, result: { resultType: "complete", content, isError: true } },
    ]);
    expect(state.isWaiting).toBe(false);
    expect(lost(state)).toEqual([]);
  });

  it("gets none for a call that it has cancelled, and for what is not a request", () => {
    const state = new ClientState(undefined, false);
    state.sent(call(1, "use_tool"));
    state.sent(notification("notifications/cancelled", { requestId: 1 }));
    state.sent("not json");
    state.sent('{"jsonrpc":"2.0","id":null,"method":"x"}');
    expect(lost(state)).toEqual([]);
  });

  it("knows the requests in a batch", () => {
    const state = new ClientState(undefined, false);
    state.sent(`[${request(1, "ping")},${call(2, "use_tool")}]`);
    expect(lost(state)).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it("is asked no longer, unless it has answered", () => {
    const state = new ClientState(undefined, false);
    state.onQuestion('"workbench-1"');
    state.onQuestion('"workbench-2"');
    state.sent('{"jsonrpc":"2.0","id":"workbench-2","result":{}}');
    expect(state.isWaiting).toBe(true);
    expect(lost(state)).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "workbench-1" },
      },
    ]);
  });
});

describe("a session that another process continues", () => {
  it("consists of what the client has said about itself, and what it still wants", () => {
    const state = new ClientState(undefined, true);
    for (const text of [
      request(0, "initialize", { protocolVersion: "2025-11-25" }),
      notification("notifications/initialized"),
      request(1, "logging/setLevel", { level: "info" }),
      request(2, "resources/subscribe", { uri: "a:1" }),
      request(3, "resources/subscribe", { uri: "a:2" }),
      request(4, "resources/unsubscribe", { uri: "a:1" }),
      call(5, "open_toolbox", { toolbox: "dev" }),
      call(6, "open_toolbox", { toolbox: "prod" }),
      call(7, "close_toolbox", { toolbox: "dev" }),
      request(8, "logging/setLevel", { level: "debug" }),
      call(9, "use_tool"),
    ])
      state.sent(text);
    expect(state.isListening).toBe(true);
    expect(repeated(state)).toMatchObject([
      { method: "initialize" },
      { jsonrpc: "2.0", method: "notifications/initialized", params: {} },
      { params: { level: "debug" } },
      { params: { uri: "a:2" } },
      { params: { name: "open_toolbox", arguments: { toolbox: "prod" } } },
    ]);
    const lines = [...state.repeated()];
    expect(lines.map(({ isFirst }) => isFirst)).toEqual([true, undefined, false, false, true]);
    for (const { text, idText } of lines) {
      const { id } = JSON.parse(text) as { id?: string };
      expect(idText).toBe(JSON.stringify(id));
      expect(idText === undefined || state.isRepeated(idText)).toBe(true);
    }
  });

  it("does not take a request of the client for a repeated one, whatever its id", () => {
    const [state, another] = [new ClientState(undefined, false), new ClientState(undefined, false)];
    for (const each of [state, another]) each.sent(request(0, "initialize"));
    const [{ idText = "" } = {}] = another.repeated();
    for (const id of ["3", '"workbench-repeat-first-0"', '"workbench-repeat-0"', idText])
      expect(state.isRepeated(id)).toBe(false);
  });

  it("has no toolboxes in proxy mode, where opening them changes nothing", () => {
    const state = new ClientState("{}", false);
    state.sent(call(5, "open_toolbox", { toolbox: "dev" }));
    expect(repeated(state)).toEqual([]);
    expect(state.isListening).toBe(false);
  });

  it("goes on with the streams of a modern client under their own ids", () => {
    const state = new ClientState(undefined, false);
    const listen = request(7, "subscriptions/listen", { notifications: {}, ...MODERN });
    state.sent(listen);
    expect([state.isWaiting, state.isListening]).toEqual([false, true]);
    expect(lost(state)).toEqual([]);
    expect([...state.repeated()]).toEqual([{ text: listen }]);
    state.onAnswer("7");
    expect([...state.repeated()]).toEqual([]);
  });
});
