import { describe, expect, it } from "vitest";

import { explainUrlProblem } from "./client-url.ts";

describe("the advice about an entry that connects to a URL", () => {
  const entry = { client: "cursor", name: "workbench", variables: ["WB_TOKEN"] };

  it("is to set the token if the workbench rejects it, not to start what runs already", () => {
    const problem =
      "127.0.0.1:7333 requires credentials, or rejected the configured ones (HTTP 401)";
    expect(explainUrlProblem(problem, entry)).toEqual({
      message: "it rejects the token in WB_TOKEN",
      fix: "Set WB_TOKEN to the token of that workbench, also in the environment that the client is started from",
    });
    expect(explainUrlProblem(problem, { ...entry, variables: [] })).toEqual({
      message: "it requires a token",
      fix: "mcp-workbench install cursor --name workbench --url URL --token-env NAME",
    });
  });

  it("is to change the entry if its toolbox does not exist", () => {
    const problem = "Toolbox 'nope' not found. Available: dev (code -32602)";
    expect(explainUrlProblem(problem, entry)).toEqual({
      message: `it answers: ${problem}`,
      fix: "Change the entry: mcp-workbench install cursor --name workbench --url URL --token-env NAME",
    });
  });

  it("is to start the workbench if nothing answers", () => {
    const { message, fix } = explainUrlProblem("nothing accepts connections", entry);
    expect(message).toBe("cannot reach it: nothing accepts connections");
    expect(fix).toMatch(/^Start it with 'mcp-workbench serve --http', or change the entry: /);
  });
});
