import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FakeConnection, settingsWith } from "../../../test/support/fake-connection.ts";
import { type FakeServer, FakeClient, fakeServer } from "../../../test/support/fake-client.ts";
import { NOT_CONNECTED } from "../../servers/handshake/server-hello.ts";
import { ServerLists } from "../../workbench/server-lists.ts";
import { findResource, matchesTemplate, nameWithin, resourceUri } from "./resource-uris.ts";

/** A connected server with these resources and templates. */
function serving(name: string, uris: string[], templates: string[] = []): FakeServer {
  const fake = new FakeConnection(settingsWith({ name }));
  fake.connection.hello = { ...NOT_CONNECTED, capabilities: { resources: {} } };
  fake.channel.onSend = ({ id, method }) => {
    const resources = uris.map((uri) => ({ uri }));
    const resourceTemplates = templates.map((uriTemplate) => ({ uriTemplate }));
    fake.answer(id, method === "resources/list" ? { resources } : { resourceTemplates });
  };
  return fakeServer(fake);
}

describe("a workbench:// resource URI", () => {
  it("consists of toolbox, server and the server's own URI, and resolves to them", async () => {
    const one = serving("files", []);
    const client = new FakeClient([one]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.webUrl(), fc.string()), async (uri) => {
        const ours = resourceUri(one.server, uri);
        expect(ours).toBe(`workbench://dev/files/${uri}`);
        expect(await findResource(client, ours, new ServerLists())).toEqual({
          server: one.server,
          uri,
        });
      }),
    );
  });

  it("of a server whose resources are denied does not exist under the name that was given", async () => {
    const one = serving("files", []);
    const client = new FakeClient([one]);
    Object.assign(client.pipeline, { visibility: { deniesOthers: () => true } });
    const uri = "workbench://dev/files/note:///a";
    expect(await findResource(client, uri, new ServerLists())).toMatchObject({ data: { uri } });
  });

  it.each(["workbench://", "workbench://dev", "workbench://dev/other/x", "workbench://x/files/y"])(
    "with an unknown toolbox or server is rejected: %s",
    async (uri) => {
      const client = new FakeClient([serving("files", [])]);
      expect(await findResource(client, uri, new ServerLists())).toEqual({
        code: -32602,
        message: "Resource not found: no such toolbox or server",
        data: { uri },
      });
    },
  );
});

describe("a resource URI without a prefix", () => {
  it("resolves to the only server that has resources, without asking it", async () => {
    const one = serving("files", []);
    const other = fakeServer(new FakeConnection(settingsWith({ name: "other" })));
    const found = await findResource(new FakeClient([one, other]), "file:///a", new ServerLists());
    expect(found).toEqual({ server: one.server, uri: "file:///a" });
    expect(one.fake.channel.sent).toEqual([]);
  });

  it("resolves to the one server that lists it", async () => {
    const [a, b] = [serving("a", ["x:/1"]), serving("b", ["x:/2"], ["x:/{id}"])];
    expect(await findResource(new FakeClient([a, b]), "x:/2", new ServerLists())).toMatchObject({
      server: b.server,
    });
  });

  it("resolves to the one server with a matching template, if no server lists it", async () => {
    const [a, b] = [serving("a", [], ["y:/{id}"]), serving("b", [], ["x:/{id}/end"])];
    expect(await findResource(new FakeClient([a, b]), "x:/7/end", new ServerLists())).toMatchObject(
      {
        server: b.server,
      },
    );
  });

  it("that several servers list is rejected with the URIs to choose from", async () => {
    const servers = [serving("a", ["x:/1"]), serving("b", ["x:/1"])];
    expect(await findResource(new FakeClient(servers), "x:/1", new ServerLists())).toMatchObject({
      message:
        "Resource not found: several servers have it. Use workbench://dev/a/x:/1 or workbench://dev/b/x:/1",
    });
  });

  it("that no server lists is rejected with a hint", async () => {
    const servers = [serving("a", []), serving("b", [])];
    expect(await findResource(new FakeClient(servers), "x:/1", new ServerLists())).toMatchObject({
      message:
        "Resource not found: no open server lists it. Use workbench://{toolbox}/{server}/ in front of it",
    });
  });
});

describe("matchesTemplate", () => {
  /** The same by a regular expression. */
  const reference = (template: string): RegExp =>
    new RegExp(
      `^${template
        .split(/\{[^{}]*\}/)
        .map((literal) => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
        .join(".*")}$`,
      "s",
    );
  const literal = fc.string({ unit: fc.constantFrom("a", "b", "/", ".", "}"), maxLength: 4 });
  const templates = fc
    .array(fc.oneof(literal, fc.constantFrom("{x}", "{+path}", "{?q,r}", "{}")), { maxLength: 5 })
    .map((parts) => parts.join(""));
  const uris = fc.string({ unit: fc.constantFrom("a", "b", "/", "."), maxLength: 10 });

  it("matches the literal parts of a template with anything between them", () => {
    let matched = 0;
    fc.assert(
      fc.property(templates, uris, (template, uri) => {
        const expected = reference(template).test(uri);
        if (expected) matched++;
        expect(matchesTemplate(template, uri)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
    // With 20 seeds: 1271 on average, with a standard deviation of 29.
    expect(matched).toBeGreaterThan(100);
  });

  it.each([
    ["file:///{path}", "file:///a/b", true],
    ["file:///{path}", "file:/a", false],
    ["x:/{a}/y/{b}", "x:/1/y/2", true],
    ["x:/{a}/y/{b}", "x:/1/2", false],
    ["a{x}a", "a", false],
    ["a{x}a", "aa", true],
    ["plain", "plain", true],
    ["plain", "plainer", false],
    ["open{brace", "open{brace", true],
  ])("of %s and %s is %s", (template, uri, fits) => {
    expect(matchesTemplate(template, uri)).toBe(fits);
  });
});

describe("the URI of an updated resource", () => {
  it.each([
    ["file:///a", "file:///a", "workbench://dev/fs/file:///a", "workbench://dev/fs/file:///a"],
    ["file:///a/b", "file:///a", "workbench://dev/fs/file:///a", "workbench://dev/fs/file:///a/b"],
    ["file:///a/b", "file:///a/", "file:///a/", "file:///a/b"],
    ["file:///a?x=1", "file:///a", "file:///a", "file:///a?x=1"],
    ["file:///ab", "file:///a", "file:///a", undefined],
    ["file:///b", "file:///a", "file:///a", undefined],
    ["file:///", "file:///a", "file:///a", undefined],
  ])("%s, for a subscription to %s as %s, is %s", (uri, whole, name, expected) => {
    expect(nameWithin(uri, whole, name)).toBe(expected);
  });
});
