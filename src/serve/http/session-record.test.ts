import { expect, it } from "vitest";

import type { IncomingRequest, JsonObject } from "../../wire/messages.ts";
import { SessionRecord, type SessionState } from "./session-record.ts";

const request = (method: string, params: JsonObject): IncomingRequest => ({
  id: 1,
  idText: "1",
  method,
  params,
  text: "",
});

/** What is kept of a session after these requests, all of which succeed unless they say otherwise. */
function stateAfter(...requests: [string, JsonObject, "fails"?][]): SessionState {
  const record = new SessionRecord(() => {}, true);
  for (const [method, params, fails] of requests) {
    record.onRequest(request(method, params));
    record.onAnswer("1", fails !== undefined);
  }
  return record.state;
}

it("The record of a session keeps what a client has changed, and nothing that failed or was taken back", () => {
  const open = { name: "open_toolbox", arguments: { toolbox: "dev" } };
  const close = { ...open, name: "close_toolbox" };
  expect(
    stateAfter(
      ["logging/setLevel", { level: "debug" }],
      ["resources/subscribe", { uri: "a:1" }],
      ["resources/subscribe", { uri: "a:2" }],
      ["resources/subscribe", { uri: "a:3" }, "fails"],
      ["resources/unsubscribe", { uri: "a:1" }],
      ["tools/call", open],
    ),
  ).toEqual({ level: "debug", uris: ["a:2"], toolboxes: ["dev"] });
  expect(stateAfter(["tools/call", open], ["tools/call", close])).toEqual({});
});

it("The record of a session makes a new one the same: log level, subscriptions, toolboxes", async () => {
  const state = { level: "debug", uris: ["a:1", "a:2"], toolboxes: ["dev"] };
  const record = new SessionRecord(() => {}, true, state);
  const sent: [string, JsonObject][] = [];
  await record.repeat({ protocolVersion: "2025-11-25" }, ({ idText, method, params }) => {
    sent.push([method, params]);
    queueMicrotask(() => record.onAnswer(idText, false));
  });
  expect(sent).toEqual([
    ["initialize", { protocolVersion: "2025-11-25" }],
    ["tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } }],
    ["logging/setLevel", { level: "debug" }],
    ["resources/subscribe", { uri: "a:1" }],
    ["resources/subscribe", { uri: "a:2" }],
  ]);
  expect(record.state).toEqual(state);
});
