import { describe, expect, it } from "vitest";

import { RemoteFailure, networkFailure, statusFailure } from "./remote-failure.ts";

const withCode = (code: string): Error => Object.assign(new Error("secret words"), { code });

describe("networkFailure", () => {
  it.each([
    ["ENOTFOUND", "dns"],
    ["EAI_AGAIN", "dns"],
    ["ECONNREFUSED", "refused"],
    ["EHOSTUNREACH", "unreachable"],
    ["ENETUNREACH", "unreachable"],
    ["ETIMEDOUT", "unreachable"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tlsUntrusted"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tlsUntrusted"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tlsUntrusted"],
    ["CERT_HAS_EXPIRED", "tlsExpired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tlsWrongHost"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
    ["EPROTO", "tls"],
    ["ECONNRESET", "reset"],
    ["EPIPE", "reset"],
    ["ERR_INVALID_CHAR", "badHeader"],
  ])(
    "explains %s before the connection is open, when the call cannot have run",
    (code, expected) => {
      const failure = networkFailure(withCode(code), "example.com", false);
      expect(failure).toMatchObject({ code: expected, mayHaveRun: false });
      expect(failure.reason).toContain(code);
      expect(failure.reason).not.toContain("secret words");
    },
  );

  it.each([
    ["ECONNRESET", "reset"],
    ["ETIMEDOUT", "unreachable"],
    ["HPE_INVALID_CONSTANT", "notHttp"],
    ["ANYTHING", "reset"],
  ])("says that the call may have run for %s on an open connection", (code, expected) => {
    expect(networkFailure(withCode(code), "example.com", true)).toMatchObject({
      code: expected,
      mayHaveRun: true,
    });
  });

  it("explains an error without a code as a reset connection", () => {
    expect(networkFailure(new Error("?"), "example.com", true).code).toBe("reset");
  });
});

describe("statusFailure", () => {
  it.each([
    [400, "badRequest", false],
    [401, "unauthorized", false],
    [403, "forbidden", false],
    [404, "notFound", false],
    [405, "notAllowed", false],
    [409, "badStatus", true],
    [429, "rateLimited", false],
    [500, "serverError", true],
    [502, "serverError", true],
    [503, "unavailable", true],
    [504, "serverError", true],
  ])("explains HTTP status %d", (status, code, mayHaveRun) => {
    const failure = statusFailure(status, "example.com:8080", undefined);
    expect(failure).toMatchObject({ code, mayHaveRun });
    expect(failure.reason).toContain("example.com:8080");
    expect(failure.reason).toContain(`HTTP ${status}`);
  });

  it("says how long the server asked to wait", () => {
    expect(statusFailure(429, "example.com", 1500).reason).toContain("asks to wait 2 s");
  });
});

describe("RemoteFailure", () => {
  it("is an Error whose message is the reason", () => {
    const failure = new RemoteFailure("truncated", "example.com");
    expect(failure).toBeInstanceOf(Error);
    expect(failure.message).toBe(failure.reason);
  });
});
