import { describe, expect, it } from "vitest";

import { inheritEnvLine, withheldAdvice, withheldVariables } from "./withheld-variables.ts";

const environment = { SENTRY_AUTH_TOKEN: "x", TOKEN: "y", EMPTY_ONE: "", PATH: "/bin", ERROR: "1" };

describe("withheldVariables", () => {
  it.each([
    ["Error: SENTRY_AUTH_TOKEN is required. Set it in your environment.", ["SENTRY_AUTH_TOKEN"]],
    ["missing ${SENTRY_AUTH_TOKEN}, $TOKEN", ["SENTRY_AUTH_TOKEN", "TOKEN"]],
    ["process.env.SENTRY_AUTH_TOKEN!", ["SENTRY_AUTH_TOKEN"]],
    ["TOKEN rejected by the API", []],
    ["ERROR something broke", []],
    ["MY_SENTRY_AUTH_TOKEN and SENTRY_AUTH_TOKEN_2 are required", []],
    ["EMPTY_ONE is required", []],
    ["UNKNOWN_VAR is required, PATH is not set", []],
  ])("finds in %j: %j", (line, names) => {
    expect(withheldVariables([line], environment, ["PATH"])).toEqual(names);
  });

  it("leaves out what the server was given", () => {
    const lines = ["SENTRY_AUTH_TOKEN is invalid"];
    expect(withheldVariables(lines, environment, ["SENTRY_AUTH_TOKEN"])).toEqual([]);
  });

  it("does not take names from the prototype of the environment", () => {
    expect(withheldVariables(["A_B is required"], Object.create({ A_B: "1" }), [])).toEqual([]);
  });
});

it("withheldAdvice shows the exact setting, with what it has already", () => {
  expect(inheritEnvLine(["B"], ["A", "B"])).toBe('"inheritEnv": ["A", "B"]');
  expect(withheldAdvice([])).toBeUndefined();
  expect(withheldAdvice(["A_B"])).toContain(
    "A_B is set in the environment of the workbench but not passed on",
  );
  expect(withheldAdvice(["A_B"])).toContain('"inheritEnv": ["A_B"]');
});
