import { describe, expect, it } from "vitest";

import { isLoopback } from "./loopback.ts";

describe("isLoopback", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "::1"])(
    "is true for %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "0.0.0.0",
    "::",
    "192.168.0.1",
    "localhost.example.org",
    "127.0.0.1.example.org",
    "127",
  ])("is false for %s", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
