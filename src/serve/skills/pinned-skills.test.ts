import { describe, expect, it } from "vitest";

import {
  FakeClient,
  type FakeServer,
  fakeServer,
  requestIn,
} from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { ClientCall } from "../../calls/call.ts";
import { NOT_CONNECTED } from "../../servers/handshake/server-hello.ts";
import { type JsonObject, requestText } from "../../wire/messages.ts";
import { ServerLists } from "../../workbench/server-lists.ts";
import { findResource } from "../surface/resource-uris.ts";
import { LISTENING_CLIENT, TransparentSurface } from "../surface/transparent-surface.ts";

const RESOURCES = [{ uri: "skill://pdf/SKILL.md" }, { uri: "note:///a" }];

/** A server with a skill that it lists as a resource. */
function serving(isEnforced: boolean): FakeServer {
  const fake = new FakeConnection();
  fake.connection.hello = { ...NOT_CONNECTED, capabilities: { resources: {} } };
  fake.channel.onSend = ({ id, method }) =>
    fake.answer(id, method === "resources/list" ? { resources: RESOURCES } : { contents: [] });
  const one = fakeServer(fake);
  const current = {
    isEnforced,
    approvedItems: (_place: unknown, _list: unknown, all: unknown) => all,
  };
  Object.assign(one.server.host, { pins: { current, load: async () => {} } });
  return one;
}

/** Where a request goes in the view of the server. */
async function routed(one: FakeServer, method: string, params: JsonObject) {
  const client = new FakeClient([one]);
  const surface = new TransparentSurface(one, LISTENING_CLIENT);
  return surface.route(client, new ClientCall(client, requestIn(requestText(1, method, params))));
}

const SKILLS = [
  "skill://pdf/SKILL.md",
  "skill://pdf/references/FORMS.md",
  "SKILL://pdf/SKILL.md",
  " sk\till://pdf/SKILL.md",
];

describe("with an enforced lock file, a file of a skill", () => {
  it.each(SKILLS)("has no address behind the workbench: %j", async (uri) => {
    const client = new FakeClient([serving(true)]);
    for (const given of [uri, `workbench://dev/fx/${uri}`, uri.replace("://", "://dev.fx/")])
      expect(await findResource(client, given, new ServerLists())).toMatchObject({ code: -32602 });
  });

  it.each(SKILLS)("cannot be read in the view of its server: %j", async (uri) => {
    const one = serving(true);
    await expect(routed(one, "resources/read", { uri })).rejects.toThrow(/lock file/);
    const surface = new TransparentSurface(one, LISTENING_CLIENT);
    const found = await surface.findResource(new FakeClient([one]), uri);
    expect(found).toMatchObject({ code: -32602 });
  });

  it("is not in lists of resources", async () => {
    const one = serving(true);
    const items = await new ServerLists().listServer(
      new FakeClient([one]),
      one.server,
      "resources",
    );
    expect(items.map(({ value }) => value)).toEqual([{ uri: "note:///a" }]);
    const { answer } = (await routed(one, "resources/list", {})) as {
      answer: () => Promise<unknown>;
    };
    expect(await answer()).toMatchObject({ result: '{"resources":[{"uri":"note:///a"}]}' });
  });
});

describe("what can still be read", () => {
  it.each([
    [true, "note:///a"],
    [true, "file:///skill:/a"],
    [false, "skill://pdf/SKILL.md"],
  ])("with enforcement %j: %s", async (isEnforced, uri) => {
    const one = serving(isEnforced);
    const { server } = one;
    const client = new FakeClient([one]);
    expect(await findResource(client, uri, new ServerLists())).toEqual({ server, uri });
    expect(await routed(one, "resources/read", { uri })).toMatchObject({ server, subject: uri });
  });
});
