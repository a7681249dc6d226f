import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LockFile, type LockedServer, formatLock, parseLock } from "./lock-file.ts";

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `sha256-${Buffer.from(bytes).toString("base64")}`);
const items = fc
  .array(fc.tuple(fc.string(), fc.record({ hash, essential: hash })), { maxLength: 4 })
  .map((entries) => new Map(entries));
const source = fc.record(
  {
    kind: fc.constantFrom("npm" as const, "pypi" as const),
    name: fc.string(),
    version: fc.string(),
    pinned: fc.boolean(),
  },
  { requiredKeys: ["kind", "name", "pinned"] },
);
const server: fc.Arbitrary<LockedServer> = fc.record(
  {
    source,
    instructions: hash,
    items: fc.record({ tools: items, prompts: items, resourceTemplates: items }),
  },
  { requiredKeys: ["items"] },
);
const locks: fc.Arbitrary<LockFile> = fc
  .array(fc.tuple(fc.string(), server), { maxLength: 4 })
  .map((entries) => ({ servers: new Map(entries) }));

const EXAMPLE = formatLock({
  servers: new Map([
    [
      "dev/b",
      {
        source: { kind: "npm", name: "@x/y", version: "1.0.0", pinned: false },
        instructions: `sha256-${"A".repeat(43)}=`,
        items: {
          tools: new Map([
            ["z", { hash: `sha256-${"B".repeat(43)}=`, essential: `sha256-${"B".repeat(43)}=` }],
            ["a", { hash: `sha256-${"C".repeat(43)}=`, essential: `sha256-${"D".repeat(43)}=` }],
          ]),
          prompts: new Map(),
          resourceTemplates: new Map(),
        },
      },
    ],
    ["dev/a", { items: { tools: new Map(), prompts: new Map(), resourceTemplates: new Map() } }],
  ]),
});

describe("a lock file", () => {
  it("has one sorted line for each definition", () => {
    expect(EXAMPLE).toBe(`{
  "lockfileVersion": 1,
  "servers": {
    "dev/a": {},
    "dev/b": {
      "source": { "kind": "npm", "name": "@x/y", "version": "1.0.0", "pinned": false },
      "instructions": "sha256-${"A".repeat(43)}=",
      "tools": {
        "a": { "hash": "sha256-${"C".repeat(43)}=", "essential": "sha256-${"D".repeat(43)}=" },
        "z": { "hash": "sha256-${"B".repeat(43)}=" }
      }
    }
  }
}
`);
  });

  it("is read as it was written, and written the same whatever the order", () => {
    fc.assert(
      fc.property(locks, (lock) => {
        const text = formatLock(lock);
        expect(parseLock(text)).toEqual(lock);
        const reversed = { servers: new Map([...lock.servers].toReversed()) };
        expect(formatLock(reversed)).toBe(text);
        expect(formatLock(parseLock(text.replaceAll("\n", "\r\n")))).toBe(text);
      }),
    );
  });

  it("is rejected if a part is missing", () => {
    fc.assert(
      fc.property(fc.nat(EXAMPLE.length - 2), (end) => {
        expect(() => parseLock(EXAMPLE.slice(0, end))).toThrow(/\w/);
      }),
    );
  });

  it.each([
    ["another version", '{"lockfileVersion":2,"servers":{}}', /lockfileVersion is 2/],
    ["no version", '{"servers":{}}', /lockfileVersion is missing/],
    ["no servers", '{"lockfileVersion":1}', /servers is not valid/],
    ["an unknown member", '{"lockfileVersion":1,"servers":{},"x":1}', /unknown member 'x'/],
    [
      "a hash that is none",
      EXAMPLE.replace("sha256-B", "sha256-"),
      /servers\.dev\/b\.tools\.z\.hash/,
    ],
    ["something that is not JSON", "<<<<<<< HEAD", /not a JSON object/],
  ])("is rejected with %s", (_, text, reason) => {
    expect(() => parseLock(text)).toThrow(reason);
  });
});
