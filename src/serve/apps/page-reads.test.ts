import { describe, expect, it } from "vitest";

import { FakeClient, fakeServer, requestIn } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { ClientCall } from "../../calls/call.ts";
import { type JsonObject, requestText } from "../../wire/messages.ts";
import { ServerLists } from "../../workbench/server-lists.ts";
import { findResource } from "../surface/resource-uris.ts";
import { LISTENING_CLIENT, TransparentSurface } from "../surface/transparent-surface.ts";

const APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [] } } };

function clientWith(capabilities: JsonObject) {
  const one = fakeServer(new FakeConnection());
  const client = new FakeClient([one]);
  Object.assign(client, { profile: { client: { capabilities } } });
  const read = (uri: string) => {
    const text = requestText(1, "resources/read", { uri, name: "a" });
    const surface = new TransparentSurface(one, LISTENING_CLIENT);
    return surface.route(client, new ClientCall(client, requestIn(text)));
  };
  return { one, client, read };
}

describe.each(["ui://chart", "UI://chart", " u\ti://chart"])("the page %j", (uri) => {
  it("does not exist for a client without the extension", async () => {
    const { client, read } = clientWith({});
    const error = { code: -32602, message: expect.stringContaining("Resource not found") };
    for (const given of [uri, `workbench://dev/fx/${uri}`])
      expect(await findResource(client, given, new ServerLists())).toMatchObject(error);
    const { answer } = (await read(uri)) as { answer: () => unknown };
    expect(await answer()).toMatchObject({ kind: "refusal", error });
  });

  it("is read by other clients", async () => {
    const { one, client, read } = clientWith(APPS);
    const { server } = one;
    const found = await findResource(client, `workbench://dev/fx/${uri}`, new ServerLists());
    expect(found).toEqual({ server, uri });
    expect(await read(uri)).toMatchObject({ server });
  });
});
