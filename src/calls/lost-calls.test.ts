import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../test/support/fake-connection.ts";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import type { Era } from "../protocol/client-profile.ts";
import { Catalogue } from "../servers/tools/catalogue.ts";
import { NOT_CONNECTED } from "../servers/handshake/server-hello.ts";
import { ClientCall } from "./call.ts";
import { dispatch } from "./dispatch.ts";

const tool = { toolbox: "dev", server: "fx", name: "echo" };
const answering = requestIn(
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "use_tool",
      arguments: { tool, arguments: {} },
      requestState: "workbench-0-0",
      inputResponses: {},
    },
  }),
);

function scene(era: Era, clientEra: Era) {
  const fake = new FakeConnection();
  fake.connection.hello = { ...NOT_CONNECTED, era };
  const value = { name: "echo" };
  fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
  const one = fakeServer(fake);
  const client = new FakeClient([one], clientEra);
  const start = (): void =>
    dispatch(new ClientCall(client, answering), () => ({
      server: one.server,
      tool,
      argumentsAt: "params.arguments.arguments",
    }));
  return { fake, client, start };
}

describe("a request with the state of an earlier one", () => {
  it("is not sent to a legacy server, which would execute the call again", () => {
    const { fake, client, start } = scene("legacy", "modern");
    start();
    expect(fake.channel.sent).toEqual([]);
    expect(client.errors[0]?.text).toContain(
      "requestState: the call is no longer waiting for input",
    );
  });

  it.each<[Era, Era]>([
    ["modern", "modern"],
    ["modern", "legacy"],
    ["legacy", "legacy"],
  ])("goes to a %s server from a %s client: the state may be its own", (server, clientEra) => {
    const { fake, client, start } = scene(server, clientEra);
    start();
    expect(fake.channel.sent).toMatchObject([{ params: { requestState: "workbench-0-0" } }]);
    expect(client.errors).toEqual([]);
  });
});
