import { describe, expect, it } from "vitest";
import type { Server } from "../../servers/server.ts";
import { withheldHint } from "./approved-items.ts";
import type { Viewer } from "./seen-tools.ts";

const catalogue = { withheld: new Map([["send", "it has not been approved"]]) };
const server = {
  place: { toolbox: "dev", server: "mail" },
  connections: new Set([{ catalogue }]),
} as unknown as Server;
const viewer = (seesAll: boolean): Viewer =>
  ({ pipeline: { visibility: { allowsAll: () => seesAll } } }) as unknown as Viewer;

describe("the hint for a tool that is withheld", () => {
  it("says that the user has to approve it", () => {
    expect(withheldHint(viewer(true), server, "send")).toBe(
      "It is blocked: it has not been approved. Ask the user to review it: mcp-workbench diff dev/mail. Do not look for another way",
    );
    expect(withheldHint(viewer(true), server, "other")).toBeUndefined();
  });

  it("does not reveal tools to a client that may not see all of them", () => {
    expect(withheldHint(viewer(false), server, "send")).toBeUndefined();
  });
});
