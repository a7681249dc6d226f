import { describe, expect, it } from "vitest";

import { parseConfig } from "../load.ts";

describe("the advice for a variable that is not set", () => {
  it.each([
    ["env", { command: "x", env: { API_KEY: "${MINE}" } }],
    ["headers", { url: "https://x", headers: { "X-Api-Key": "${MINE}" } }],
  ])("is to store it if it is for a secret in %s, whatever its name is", async (_, server) => {
    const toolboxes = { dev: { description: "d", mcpServers: { server } } };
    const { warnings } = await parseConfig(JSON.stringify({ toolboxes }), { env: {} });
    expect(warnings[0]).toMatch(
      /Set it in the environment of the workbench or with 'mcp-workbench secret set MINE'$/,
    );
  });
});
