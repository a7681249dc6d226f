import { describe, expect, it } from "vitest";

import { Respite } from "../respite.ts";
import type { RemoteFailure } from "./remote-failure.ts";
import { refusedFailure, retryAfterMs } from "./retry-after.ts";

describe("retryAfterMs", () => {
  const now = Date.parse("2026-11-15T10:00:00Z");

  it.each([
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    [" 12 ", 12_000],
    ["Sun, 15 Nov 2026 10:00:05 GMT", 5000],
    ["Sun, 15 Nov 2026 09:00:00 GMT", 0],
    ["300", 300_000],
    ["301", 300_000],
    ["99999999999", 300_000],
    ["Mon, 16 Nov 2026 10:00:00 GMT", 300_000],
  ])("understands %j", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe("a refusal", () => {
  const refused = (status: number, header?: string): [RemoteFailure, Respite] => {
    const respite = new Respite();
    const headers = header === undefined ? {} : { "retry-after": header };
    return [refusedFailure({ status, headers }, "example.com", respite), respite];
  };

  it.each([
    [429, "rateLimited"],
    [503, "unavailable"],
  ])("with %i is told as what it is for as long as it wants to be left alone", (status, code) => {
    const [failure, respite] = refused(status, "60");
    expect(failure).toMatchObject({ code });
    expect(failure.reason).toContain("left alone for 60 s");
    const meanwhile = respite.failure();
    expect(meanwhile).toMatchObject({ code, mayHaveRun: false });
    expect(meanwhile?.reason).toMatch(
      new RegExp(`HTTP ${status}\\) and wants to be left alone; next try in (60|59\\.\\d) s$`),
    );
  });

  it.each([
    [429, undefined],
    [429, "soon"],
    [500, "60"],
    [401, "60"],
  ])("with %i and Retry-After %j asks for nothing", (status, header) => {
    const [, respite] = refused(status, header);
    expect(respite.leftMs()).toBe(0);
    expect(respite.failure()).toBeUndefined();
  });
});
