import { describe, expect, it } from "vitest";

import { FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import { FakeClient, type FakeServer, fakeServer } from "../../test/support/fake-client.ts";
import { isWorkbenchError } from "../errors.ts";
import { Catalogue } from "../servers/tools/catalogue.ts";
import { toolNotFound } from "../calls/call-errors.ts";
import { findServer, findToolbox } from "./find.ts";

const one = fakeServer(new FakeConnection());
const { scope } = new FakeClient([one]);

function messageOf(found: unknown): string {
  return isWorkbenchError(found) ? found.text : "found";
}

describe("finding a toolbox, server or tool by name", () => {
  it("returns the toolbox and the server", () => {
    expect(findToolbox(scope, "dev")).toBe(scope.get("dev"));
    expect(findServer(scope, { toolbox: "dev", server: "fx" })).toBe(one.server);
  });

  it.each([
    [findToolbox(scope, "dve"), "Toolbox 'dve' not found. Did you mean 'dev'?"],
    [findToolbox(scope, "production"), "Toolbox 'production' not found. Available: dev"],
    [findToolbox(scope, "__proto__"), "Toolbox '__proto__' not found. Available: dev"],
    [findToolbox(new Map(), "dev"), "Toolbox 'dev' not found. There are none"],
    [
      findServer(scope, { toolbox: "x", server: "fx" }),
      "Toolbox 'x' not found. Server 'fx' is in toolbox 'dev'",
    ],
    [
      findServer(scope, { toolbox: "dve", server: "fx" }),
      "Toolbox 'dve' not found. Did you mean 'dev'?",
    ],
    [findServer(scope, { toolbox: "x", server: "y" }), "Toolbox 'x' not found. Available: dev"],
    [findToolbox(scope, "fx"), "Toolbox 'fx' not found. Server 'fx' is in toolbox 'dev'"],
    [findToolbox(scope, "dev/fx"), "Toolbox 'dev/fx' not found. Did you mean 'dev'?"],
    [
      findServer(scope, { toolbox: "dev", server: "database" }),
      "Server 'database' not found in toolbox 'dev'. Available: fx",
    ],
  ])("fails with the available names (case %#)", (found, message) => {
    expect(messageOf(found)).toBe(message);
  });

  it("names every toolbox that has the server, unless it is disabled there", () => {
    const at = (toolbox: string, disabled = false): FakeServer =>
      fakeServer(new FakeConnection(settingsWith({ toolbox, name: "github", disabled })));
    const boxes = new FakeClient([one, at("work"), at("home"), at("old", true)]).scope;
    expect(messageOf(findServer(boxes, { toolbox: "dev", server: "github" }))).toBe(
      "Server 'github' not found in toolbox 'dev'. Server 'github' is in toolbox 'work' and in toolbox 'home'",
    );
  });

  it("does not offer servers that are disabled", () => {
    const off = fakeServer(
      new FakeConnection(settingsWith({ toolbox: "dev", name: "off", disabled: true })),
    );
    const boxes = new FakeClient([one, off]).scope;
    expect(messageOf(findServer(boxes, { toolbox: "dev", server: "database" }))).toBe(
      "Server 'database' not found in toolbox 'dev'. Available: fx",
    );
  });

  it.each(["dev/fx/a/b", "dev__fx__a/b", "fx/a/b", "x__a/b"])(
    "suggests the tool in the path %j",
    (name) => {
      const { connection } = one.fake;
      const value = { name: "a/b" };
      connection.catalogue = new Catalogue([{ value, text: "{}" }], () => true);
      expect(toolNotFound({ toolbox: "dev", server: "fx", name }, connection).hint).toBe(
        "Did you mean 'a/b'?",
      );
    },
  );

  it("fails with the first of many available names", () => {
    const names = Array.from({ length: 20 }, (_, i) => ({ name: `tool-number-${i}` }));
    const { connection } = one.fake;
    connection.catalogue = new Catalogue(
      names.map((value) => ({ value, text: JSON.stringify(value) })),
      () => true,
    );
    const tool = { toolbox: "dev", server: "fx", name: "delete_all" };
    expect(toolNotFound(tool, connection).text).toMatch(
      /^Tool 'delete_all' not found in server 'fx' \(toolbox 'dev'\)\. Available: tool-number-0, .*tool-number-11, and 8 more$/,
    );
  });
});
