import { describe, expect, it } from "vitest";

import { nextCommand } from "./next-command.ts";

describe("the next command for a server that does not work", () => {
  const base = { toolbox: "code", server: "git hub", reason: "it exited", missing: [], entry: {} };
  const url = "https://example.com/mcp?a=1";
  const unauthorized = "example.com requires credentials (HTTP 401)";

  it("sets the first variable that is missing", () => {
    expect(nextCommand({ ...base, missing: ["A_TOKEN", "B"] })).toBe(
      "mcp-workbench secret set A_TOKEN",
    );
  });

  it("tries the server again if there is nothing else to do", () => {
    expect(nextCommand(base)).toBe("mcp-workbench list 'code/git hub'");
    expect(nextCommand({ ...base, server: "x", entry: { url } })).toBe("mcp-workbench list code/x");
  });

  it("signs in to a remote server that asks for a login", () => {
    expect(nextCommand({ ...base, needsLogin: true, entry: { url } })).toBe(
      "mcp-workbench login 'code/git hub'",
    );
  });

  it("adds a token to a remote server that wants one, quoted for a shell", () => {
    expect(nextCommand({ ...base, reason: unauthorized, entry: { url } })).toBe(
      `mcp-workbench add 'git hub' '${url}' --toolbox code --force --header 'Authorization: Bearer \${GIT_HUB_TOKEN}'`,
    );
  });

  it("replaces the token that a remote server rejected", () => {
    const entry = { url, headers: { Authorization: "Bearer ${HUB_TOKEN}" } };
    expect(nextCommand({ ...base, reason: unauthorized, entry })).toBe(
      "mcp-workbench secret set HUB_TOKEN",
    );
  });
});
