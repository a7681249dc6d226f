import { describe, expect, it } from "vitest";

import { credentialFileName, credentialId } from "./credential-id.ts";

describe("the id of a credential", () => {
  it.each([
    ["HTTPS://Mcp.Example.com:443/mcp#part", "https://mcp.example.com/mcp"],
    ["https://example.com/", "https://example.com"],
    ["https://example.com/?", "https://example.com"],
    ["https://example.com/mcp/", "https://example.com/mcp/"],
    ["https://example.com/mcp?", "https://example.com/mcp"],
    ["https://example.com/?a=/", "https://example.com/?a=/"],
    ["https://user:password@example.com/mcp", "https://example.com/mcp"],
    ["http://127.0.0.1:8080/a?b=c", "http://127.0.0.1:8080/a?b=c"],
  ])("has a canonical URL: %s is %s", (url, canonical) => {
    expect(credentialId(url)).toEqual({ url: canonical, account: "default" });
    expect(credentialId(canonical).url).toBe(canonical);
  });

  it("gives all spellings of a URL the same file", () => {
    const names = ["https://example.com", "https://EXAMPLE.com:443/#x"].map((url) =>
      credentialFileName({ url, account: "default" }),
    );
    expect(new Set(names).size).toBe(1);
    expect(names[0]).toMatch(/^[0-9a-f]{64}\.json$/);
  });

  it("gives each account, server and path its own file", () => {
    const ids = [
      credentialId("https://example.com/mcp"),
      credentialId("https://example.com/mcp", "work"),
      credentialId("https://example.com/mcp/"),
      credentialId("https://example.com/mcp?tenant=1"),
      credentialId("http://example.com/mcp"),
      credentialId("https://example.org/mcp"),
    ];
    expect(new Set(ids.map(credentialFileName)).size).toBe(ids.length);
  });
});
