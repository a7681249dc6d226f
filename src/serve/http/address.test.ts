import { describe, expect, it } from "vitest";
import { authority, checkHostName, parseAddress, urlOf } from "./address.ts";

describe("parseAddress, for the value of --http,", () => {
  it.each([
    ["7333", { host: "127.0.0.1", port: 7333 }],
    ["0", { host: "127.0.0.1", port: 0 }],
    ["localhost:80", { host: "localhost", port: 80 }],
    ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
    ["[::1]:7333", { host: "::1", port: 7333 }],
    ["box.example.org:7333", { host: "box.example.org", port: 7333 }],
  ])("accepts %s", (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each([
    "",
    ":7333",
    "localhost",
    "127.0.0.1",
    "127.0.0.1:",
    "65536",
    "-1",
    "7333x",
    "::1:7333",
    "[::1]",
    "[localhost]:7333",
    "http://127.0.0.1:7333",
    "user@127.0.0.1:7333",
    "127.0.0.1:7333/mcp",
    "a b:7333",
  ])("rejects %j with examples", (text) => {
    expect(() => parseAddress(text)).toThrow(
      expect.objectContaining({
        message: `--http '${text}' is neither a port nor host:port`,
        hint: expect.stringContaining("--http 7333"),
        exitCode: 2,
      }),
    );
  });
});

describe("the URL of an address", () => {
  it("has IPv6 addresses in brackets", () => {
    expect(authority({ host: "::1", port: 1 })).toBe("[::1]:1");
    expect(urlOf({ host: "::1", port: 1 })).toBe("http://[::1]:1");
  });

  it.each(["0.0.0.0", "::"])("uses 127.0.0.1 when the server listens on %s", (host) => {
    expect(urlOf({ host, port: 7333 })).toBe("http://127.0.0.1:7333");
  });
});

describe("checkHostName, for the value of --allow-host,", () => {
  it.each(["box.lan", "box.lan:8080", "10.0.0.7", "[fd00::7]:7333"])("accepts %s", (name) => {
    expect(() => checkHostName(name)).not.toThrow();
  });

  it.each(["https://box.lan", "box.lan/mcp", "me@box.lan", "box lan", "", "box.lan:", "fd00::7"])(
    "rejects '%s'",
    (name) => {
      expect(() => checkHostName(name)).toThrow(
        /--allow-host '.*' is neither a name nor name:port/,
      );
    },
  );
});
