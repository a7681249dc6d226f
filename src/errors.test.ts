import { describe, expect, it } from "vitest";

import { PROBLEM_MEANINGS } from "../scripts/error-meanings.ts";
import { sourceFiles } from "../test/support/source.ts";
import { workbenchError } from "./errors.ts";
import { codeOf } from "./text/error-code.ts";

const place = { toolbox: "dev", server: "api" };

describe("the cause code of an error", () => {
  const inner = (cause?: unknown): Error =>
    workbenchError("SERVER_DIED", { ...place, what: "a call", reason: "gone" }, undefined, cause);
  const outer = (cause?: unknown): ReturnType<typeof workbenchError> =>
    workbenchError("CONNECTION_FAILED", { ...place, reason: "gone" }, undefined, cause);

  it.each([
    ["no error", outer(), undefined],
    ["an error without a code", outer(new Error("x")), undefined],
    ["a system error", outer(Object.assign(new Error("x"), { code: "ENOENT" })), "ENOENT"],
    ["a nested error", outer(inner({ code: "refused" })), "refused"],
    ["a workbench error", outer(inner()), "SERVER_DIED"],
    [
      "an Error that wraps a system error",
      outer(new Error("x", { cause: { code: "EIO" } })),
      "EIO",
    ],
  ])("is correct with %s as the cause", (_, error, expected) => {
    expect(error.causeCode).toBe(expected);
    expect(codeOf(error)).toBe(expected ?? "CONNECTION_FAILED");
  });

  it("is undefined if causes form a cycle", () => {
    const error = new Error("x");
    error.cause = error;
    expect(codeOf(error)).toBeUndefined();
  });

  it("decides the exit code if it is about credentials", () => {
    expect(outer().exitCode).toBe(4);
    expect(outer(inner({ code: "refused" })).exitCode).toBe(4);
    expect(outer(inner({ code: "unauthorized" })).exitCode).toBe(5);
    expect(outer({ code: "forbidden" }).exitCode).toBe(5);
  });

  it("is sent to the client if there is one", () => {
    const message = "Failed to connect to server 'api' in toolbox 'dev': gone";
    expect(outer().rpcError).toEqual({ code: -32603, message });
    const data = { code: "CONNECTION_FAILED", cause: "refused" };
    expect(outer({ code: "refused" }).rpcError).toEqual({ code: -32603, message, data });
  });
});

describe("the error reference", () => {
  const servers = sourceFiles()
    .filter(({ path }) => path.startsWith("servers/"))
    .map(({ text }) => text)
    .join("\n");

  it.each(Object.entries(PROBLEM_MEANINGS))(
    "quotes the message of the cause %s as in the source code",
    (_, { message }) => {
      const literals = message.split(/\{\w+\}/).filter((part) => part.trim() !== "");
      expect(literals.filter((part) => !servers.includes(part))).toEqual([]);
    },
  );
});
