import { describe, expect, it } from "vitest";

import type { VariableSyntax } from "./types.ts";
import { translateVariables, variableName } from "./variables.ts";

const translate = (text: string, syntax: VariableSyntax, project?: string) =>
  translateVariables(text, { syntax, project });

describe("translateVariables", () => {
  it.each<[VariableSyntax, string, string]>([
    ["braces", "${A} ${A:-b} plain", "${A} ${A:-b} plain"],
    ["env", "Bearer ${env:TOKEN}", "Bearer ${TOKEN}"],
    ["env", "${env:TOKEN:-x}/${userHome}", "${TOKEN:-x}/${HOME}"],
    ["dollar", "$A-${B} $$ $1 100$", "${A}-${B} $$ $1 100$"],
    ["curly", "{env:A} ${B} {x}", "${A} ${B} {x}"],
    ["input", "${env:A}${/}b${pathSeparator}", "${A}/b/"],
    ["none", "${A} $B", "$${A} $B"],
    ["secrets", "${{ secrets.A_b }}${{inputs.my-key}} ${C}", "${A_b}${MY_KEY} $${C}"],
  ])("translates the syntax %s: %s", (syntax, text, expected) => {
    expect(translate(text, syntax)).toMatchObject({ text: expected, problems: [] });
  });

  it("turns an input of the client into a variable, and says so", () => {
    expect(translate("${input:github-token}", "input")).toEqual({
      text: "${GITHUB_TOKEN}",
      notes: ["the client asks for 'github-token'; set the variable GITHUB_TOKEN instead"],
      problems: [],
    });
  });

  it("inserts the project folder if it is known", () => {
    expect(translate("${workspaceFolder}/x", "env", "/src/app").text).toBe("/src/app/x");
    expect(translate("${workspaceFolderBasename}", "env", "/src/app").text).toBe("app");
    expect(translate("${workspaceFolder}/x", "env")).toMatchObject({
      text: "$${workspaceFolder}/x",
      problems: ["${workspaceFolder} has no equivalent here; replace it with a fixed value"],
    });
  });

  it("keeps references without a counterpart as text", () => {
    expect(translate("${command:pick} {file:~/x}", "curly")).toMatchObject({
      text: "$${command:pick} $${file:~/x}",
      problems: [
        expect.stringContaining("${command:pick}"),
        expect.stringContaining("${file:~/x}"),
      ],
    });
  });
});

it("variableName returns a legal variable name", () => {
  expect(variableName("github-token")).toBe("GITHUB_TOKEN");
  expect(variableName("apiKey")).toBe("API_KEY");
  expect(variableName("9 lives")).toBe("VALUE_9_LIVES");
  expect(variableName("é")).toBe("VALUE");
});
