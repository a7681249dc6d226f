import { describe, expect, it } from "vitest";

import type { ProposedServer } from "../../clients/propose.ts";
import type { FoundServer } from "../../clients/read.ts";
import { arrange } from "./arrange.ts";
import type { Draft } from "./draft.ts";

const server = (name: string): ProposedServer => ({
  name,
  entry: { command: name },
  from: [{ client: "cursor", name } as FoundServer],
});

const CODE = "source code, reviews, issues and builds";
const DRAFT: Draft = {
  toolboxes: [
    {
      name: "code",
      description: `github, stripe: ${CODE}`,
      servers: [server("github"), server("stripe")],
    },
    { name: "web", description: "fetch: other tools", servers: [server("fetch")] },
  ],
  skipped: [],
};

/** The toolboxes after some lines, as `name: servers`, and the problem of the last line. */
function after(...lines: readonly string[]): {
  readonly boxes: Record<string, readonly string[]>;
  readonly descriptions: readonly string[];
  readonly problem: string | undefined;
  readonly skipped: readonly string[];
} {
  let draft = DRAFT;
  let problem: string | undefined;
  for (const line of lines) {
    const next = arrange(draft, line);
    if ("draft" in next) ({ draft } = next);
    else ({ problem } = next);
  }
  return {
    boxes: Object.fromEntries(
      draft.toolboxes.map(({ name, servers }) => [name, servers.map((one) => one.name)]),
    ),
    descriptions: draft.toolboxes.map(({ description }) => description),
    problem,
    skipped: draft.skipped.map(({ server: { name }, reason }) => `${name}: ${reason}`),
  };
}

describe("the dialogue about proposed toolboxes", () => {
  it("moves a server, into a new toolbox or an existing one", () => {
    const { boxes, descriptions } = after("move stripe business");
    expect(boxes).toEqual({ code: ["github"], web: ["fetch"], business: ["stripe"] });
    expect(descriptions).toEqual([
      `github: ${CODE}`,
      "fetch: other tools",
      "stripe: customers, payments and shops",
    ]);
    expect(after("move fetch code").boxes).toEqual({ code: ["github", "stripe", "fetch"] });
    expect(after("move web code").boxes).toEqual({ code: ["github", "stripe", "fetch"] });
    expect(after("move github code").boxes).toEqual({ code: ["github", "stripe"], web: ["fetch"] });
  });

  it("renames servers and toolboxes", () => {
    expect(after("rename github hub").descriptions[0]).toBe(`hub, stripe: ${CODE}`);
    expect(Object.keys(after("rename web net").boxes)).toEqual(["code", "net"]);
    const twins = after("rename fetch web", "rename web/ net", "rename web get");
    expect(twins.boxes).toEqual({ code: ["github", "stripe"], net: ["get"] });
  });

  it("skips servers and toolboxes, which then stay in their client only", () => {
    expect(after("skip stripe")).toMatchObject({
      boxes: { code: ["github"], web: ["fetch"] },
      skipped: ["stripe: you skipped it"],
    });
    expect(after("skip code").boxes).toEqual({ web: ["fetch"] });
  });

  it.each([
    ["mov stripe x", /^Not understood/],
    ["move stripe", /^Not understood/],
    ["skip stripe now", /^Not understood/],
    ["move strip x", /^There is no 'strip'. Did you mean 'stripe'\?/],
    ["move stripe a__b", /cannot be used/],
    ["rename stripe GitHub", /already a server/],
    ["rename web code", /already a toolbox/],
  ])("explains what is wrong with '%s' and changes nothing", (line, problem) => {
    const result = after(line);
    expect(result.problem).toMatch(problem);
    expect(result.boxes).toEqual({ code: ["github", "stripe"], web: ["fetch"] });
  });
});
