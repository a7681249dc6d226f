import { describe, expect, it } from "vitest";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import { FakeConnection } from "../../test/support/fake-connection.ts";
import { ClientCall } from "../calls/call.ts";
import { subjectOf } from "./subject.ts";

describe("what a call to a server that is served alone is about", () => {
  const { server } = fakeServer(new FakeConnection());

  it.each([
    ["a tool", "tools/call", { name: "echo" }, { tool: "echo" }],
    ["a tool without a name", "tools/call", {}, { tool: undefined }],
    ["a list", "tools/list", {}, {}],
  ])("is %s", (_, method, params, subject) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const call = new ClientCall(new FakeClient([]), requestIn(text));
    call.destination = { server, subject: "" };
    expect(subjectOf(call)).toEqual({ toolbox: "dev", server: "fx", ...subject });
  });
});
