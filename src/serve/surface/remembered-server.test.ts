import { expect, it } from "vitest";

import { FakeClient, fakeServer } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { rememberedList } from "./remembered-server.ts";

const PAGE = { uri: "ui://map", name: "map" };
const NOTE = { uri: "note:///a", name: "a", _meta: { n: 1, ui: { prefersBorder: true } } };
const TEMPLATES = [{ uriTemplate: "ui://map/{id}" }, { uriTemplate: "note:///{id}" }];

/** What a client gets of a server that waits for a sign-in. */
async function remembered(method: string, capabilities: JsonObject): Promise<unknown> {
  const one = fakeServer(new FakeConnection());
  const itemsOf = (values: readonly JsonObject[]) =>
    values.map((value) => ({ value, text: JSON.stringify(value) }));
  const others = new Map([
    ["resources", itemsOf([PAGE, NOTE])],
    ["resourceTemplates", itemsOf(TEMPLATES)],
  ]);
  const catalogue = new Catalogue([], () => true);
  Object.assign(one.server.host, { memory: { load: async () => ({ catalogue, others }) } });
  Object.defineProperty(one.server, "state", { value: "needs-auth" });
  const client = new FakeClient([one]);
  client.connected = false;
  Object.assign(client, { profile: { client: { capabilities } } });
  const found = await rememberedList(client, one.server, method, () => {});
  if (found === undefined || found.server !== undefined) return found;
  const outcome = await found.answer();
  return outcome.kind === "result" && JSON.parse(String(outcome.result));
}

it("remembered resources have no pages for clients that do not show them", async () => {
  expect(await remembered("resources/list", {})).toEqual({
    resources: [{ ...NOTE, _meta: { n: 1 } }],
  });
  expect(await remembered("resources/templates/list", {})).toEqual({
    resourceTemplates: [{ uriTemplate: "note:///{id}" }],
  });
});

it("remembered resources are shown as they are to clients that show pages", async () => {
  const apps = { extensions: { "io.modelcontextprotocol/ui": {} } };
  expect(await remembered("resources/list", apps)).toEqual({ resources: [PAGE, NOTE] });
});

it("a list that is not remembered is asked for", async () => {
  expect(await remembered("prompts/list", {})).toMatchObject({ subject: "" });
});
