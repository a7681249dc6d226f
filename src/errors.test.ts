import { describe, expect, it } from "vitest";

import { workbenchError } from "./errors.ts";
import { codeOf } from "./text/error-code.ts";

const place = { toolbox: "dev", server: "api" };

describe("the cause of an error", () => {
  const inner = (cause?: unknown): Error =>
    workbenchError("SERVER_DIED", { ...place, what: "a call", reason: "gone" }, undefined, cause);
  const outer = (cause?: unknown): ReturnType<typeof workbenchError> =>
    workbenchError("CONNECTION_FAILED", { ...place, reason: "gone" }, undefined, cause);

  it.each([
    ["nothing", outer(), undefined],
    ["something without a name", outer(new Error("x")), undefined],
    ["an error of the system", outer(Object.assign(new Error("x"), { code: "ENOENT" })), "ENOENT"],
    ["an error around another", outer(inner({ code: "refused" })), "refused"],
    ["an error of the table", outer(inner()), "SERVER_DIED"],
    ["an Error around one of the system", outer(new Error("x", { cause: { code: "EIO" } })), "EIO"],
  ])("is %s", (_, error, expected) => {
    expect(error.causeCode).toBe(expected);
    expect(codeOf(error)).toBe(expected ?? "CONNECTION_FAILED");
  });

  it("may go in circles", () => {
    const error = new Error("x");
    error.cause = error;
    expect(codeOf(error)).toBeUndefined();
  });

  it("decides the exit code if it is the credentials", () => {
    expect(outer().exitCode).toBe(4);
    expect(outer(inner({ code: "refused" })).exitCode).toBe(4);
    expect(outer(inner({ code: "unauthorized" })).exitCode).toBe(5);
    expect(outer({ code: "forbidden" }).exitCode).toBe(5);
  });

  it("is told to a client where there is one", () => {
    const message = "Failed to connect to server 'api' in toolbox 'dev': gone";
    expect(outer().rpcError).toEqual({ code: -32603, message });
    const data = { code: "CONNECTION_FAILED", cause: "refused" };
    expect(outer({ code: "refused" }).rpcError).toEqual({ code: -32603, message, data });
  });
});
