import { describe, expect, it } from "vitest";

import { FakeClient, fakeServer } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import type { ClientCall } from "../../calls/call.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { readPlainCall } from "../../wire/plain-messages.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { CatalogueSurface } from "./catalogue-surface.ts";
import { ProxyTools } from "./proxy-tools.ts";

const fixture = fakeServer(new FakeConnection());
const client = new FakeClient([fixture]);
// Routing a tool call needs nothing else of the workbench.
const workbench = { pipeline: { scripts: {} } } as Workbench;
const surface = new CatalogueSurface(
  workbench,
  new ProxyTools(workbench, client.scope, client.principal, () => {}),
);

const callOf = (request: IncomingRequest): ClientCall => ({ request }) as ClientCall;

describe("the route of a list", () => {
  const listed = (method: string, cursor: unknown) => () =>
    surface.route(client, callOf({ method, params: { cursor } } as unknown as IncomingRequest));

  it.each(["tools/list", "prompts/list", "resources/list", "skills/list"])(
    "refuses a cursor that the workbench did not give: %s",
    (method) => {
      expect(listed(method, "zzz")).toThrow("Unknown cursor");
    },
  );

  it.each([undefined, null, ""])("takes %j for the first page", (cursor) => {
    expect(listed("tools/list", cursor)).not.toThrow();
  });
});

describe("the route of a tool call", () => {
  it("does not parse the parameters of a plain call, which would cost more than the call", () => {
    const tool = { toolbox: "dev", server: "fx", name: "echo" };
    const plain = readPlainCall(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":${JSON.stringify(tool)}}}}`,
    );
    const request = {
      method: "tools/call",
      plain,
      get params(): never {
        throw new Error("the parameters were parsed");
      },
    } as unknown as IncomingRequest;
    expect(plain).toBeDefined();
    expect(surface.route(client, callOf(request))).toMatchObject({ server: fixture.server, tool });
  });

  it.each([7, undefined])("refuses a call without the name of a tool (%s)", async (name) => {
    const request = { method: "tools/call", params: { name } } as unknown as IncomingRequest;
    const { answer } = (await surface.route(client, callOf(request))) as { answer: () => unknown };
    expect(answer()).toMatchObject({ kind: "refusal", error: { code: -32602 } });
  });
});
