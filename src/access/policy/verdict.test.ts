import { describe, expect, it } from "vitest";
import { STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { parseConfigFast } from "../../config/load.ts";
import { levelsOf } from "./levels.ts";
import { verdictFor } from "./verdict.ts";

const ABOUT_MAIN = { tools: ["git/push"], arguments: { branch: ["main"] }, action: "ask" };
const ANY = { action: "ask" };

function decisionOn(top: object[], own: object[], branch: string): object | undefined {
  const git = { command: "x", policy: { rules: own } };
  const config = {
    policy: { rules: top },
    toolboxes: { dev: { description: "d", mcpServers: { git } } },
  };
  const settings = parseConfigFast(JSON.stringify(config), { env: {} });
  const server = settings?.toolboxes.get("dev")?.servers.get("git");
  if (settings === undefined || server === undefined) throw new Error("not valid");
  const facts = { label: "git/push", toolClass: "destructive", openWorld: true } as const;
  const verdict = verdictFor(levelsOf(settings, server), facts, STDIO_PRINCIPAL);
  return verdict.decide(JSON.stringify({ branch }));
}

describe("a question", () => {
  it.each([
    ["in one policy", [ABOUT_MAIN, ANY], []],
    ["in a policy below", [ANY], [ABOUT_MAIN]],
    ["in a policy above", [ABOUT_MAIN], [ANY]],
  ])("is about arguments if a rule that asks is: %s", (_, top, own) => {
    expect(decisionOn(top, own, "main")).toMatchObject({ action: "ask", isAboutArguments: true });
    expect(decisionOn(top, own, "other")).toMatchObject({ action: "ask" });
    expect(decisionOn(top, own, "other")).not.toHaveProperty("isAboutArguments", true);
  });
});
