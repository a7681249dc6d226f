import { describe, expect, it } from "vitest";
import { FakeClient, fakeServer } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { STDIO_PRINCIPAL } from "../../calls/principal.ts";
import type { SeenTools, Visibility } from "../../calls/visibility.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { knownTool } from "./known-tool.ts";

function scene() {
  const fake = new FakeConnection();
  const { server } = fakeServer(fake);
  const tools = new Map(["get", "hidden"].map((name) => [name, { name } as ListedTool]));
  const connections = { values: () => [{ catalogue: { tools } }] };
  const known = Object.create(server, {
    connections: { value: connections },
    place: { value: server.place },
    settings: { value: server.settings },
    name: { value: server.name },
  }) as typeof server;
  const { scope } = new FakeClient([{ server: known, fake }]);
  const seen = (_principal: unknown, _place: unknown, catalogue: SeenTools<ListedTool>) => ({
    tools: new Map([...catalogue.tools].filter(([name]) => name !== "hidden")),
  });
  const visibility = { seen } as unknown as Visibility;
  const viewer = { principal: STDIO_PRINCIPAL, pipeline: { visibility } as never };
  return { scope, server: known, viewer };
}

describe("the tool whose headers are checked", () => {
  it("is one that the client sees, in the view of one server", () => {
    const { scope, server, viewer } = scene();
    expect(knownTool({ scope, server }, viewer, "get", false)).toMatchObject({ name: "get" });
    expect(knownTool({ scope, server }, viewer, "hidden", false)).toBeUndefined();
  });

  it("is one that the client sees by its native name, where there are native tools", () => {
    const { scope, viewer } = scene();
    expect(knownTool({ scope }, viewer, "dev__fx__get", true)).toMatchObject({ name: "get" });
    expect(knownTool({ scope }, viewer, "dev__fx__hidden", true)).toBeUndefined();
    expect(knownTool({ scope }, viewer, "dev__fx__get", false)).toBeUndefined();
  });
});
