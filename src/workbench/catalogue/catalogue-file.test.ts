import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Era } from "../../protocol/client-profile.ts";
import type { ListedItem } from "../../servers/requests/list-reader.ts";
import type { KnownServer, ListName } from "../../servers/server-memory.ts";
import { redactor } from "../../secrets/redact.ts";
import {
  MAX_BYTES,
  decodeCatalogue,
  encodeCatalogue,
  encodeUnreachable,
} from "./catalogue-file.ts";

const KEY = Buffer.alloc(32, 7);
const NAME = "0123456789abcdef0123456789abcdef.json";
const nothing = (text: string): string => text;

function item(text: string): ListedItem {
  return { text, value: JSON.parse(text) as ListedItem["value"] };
}

function known(more: Partial<KnownServer> = {}): KnownServer {
  return {
    eras: new Map<Era, Era>([["legacy", "legacy"]]),
    serverInfo: { name: "server", version: "1" },
    capabilities: { tools: {} },
    instructions: "How to use it.",
    tools: [item('{"name":"a","inputSchema":{"maximum":18446744073709551615,"default":1.0}}')],
    others: new Map<ListName, ListedItem[]>([["prompts", [item('{"name":"p"}')]]]),
    ...more,
  };
}

async function encode(server: KnownServer): Promise<string> {
  const text = await encodeCatalogue(server, NAME, KEY, nothing);
  if (text === undefined) throw new Error("not encoded");
  return text;
}

async function decode(text: string): Promise<KnownServer | undefined> {
  const decoded = await decodeCatalogue(text, NAME, KEY);
  return decoded === "unreachable" ? undefined : decoded;
}

describe("a catalogue file", () => {
  it("is decoded as it was encoded, with definitions byte for byte", async () => {
    expect(await decodeCatalogue(await encode(known()), NAME, KEY)).toEqual(known());
  });

  it("is decoded as it was encoded, whatever the server sent", async () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue());
    // A value that went through JSON once is what a server can say.
    const definition = value.map((object) => item(JSON.stringify(object)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(definition, { maxLength: 5 }),
        value.map((object) => JSON.parse(JSON.stringify(object)) as KnownServer["serverInfo"]),
        fc.option(fc.string(), { nil: undefined }),
        async (tools, serverInfo, instructions) => {
          const server = known({ tools, serverInfo, instructions });
          expect(await decodeCatalogue(await encode(server), NAME, KEY)).toEqual(server);
        },
      ),
    );
  });

  it("is rejected after any damage", async () => {
    const text = await encode(known());
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 2),
        fc.constantFrom("x", "0", '"', "}", ""),
        async (at, put) => {
          const damaged = text.slice(0, at) + put + text.slice(at + 1);
          fc.pre(damaged !== text);
          expect(await decodeCatalogue(damaged, NAME, KEY)).toBeUndefined();
        },
      ),
    );
  });

  it.each(["", "{}", "null", "[]", "\u0000".repeat(100), '{"format":1}', "not JSON at all"])(
    "is rejected if it is not a catalogue: %j",
    async (text) => expect(await decodeCatalogue(text, NAME, KEY)).toBeUndefined(),
  );

  it("is rejected with another name or another key", async () => {
    const text = await encode(known());
    expect(await decodeCatalogue(text, "f".repeat(32), KEY)).toBeUndefined();
    expect(await decodeCatalogue(text, NAME, Buffer.alloc(32, 8))).toBeUndefined();
  });

  it("contains no secret, wherever the server repeats it", async () => {
    const secret = 'tok"en-1234567';
    const server = known({
      instructions: `Use ${secret}`,
      serverInfo: { name: secret },
      tools: [item(JSON.stringify({ name: "a", description: `with ${secret} in it` }))],
      others: new Map([["prompts", [item(JSON.stringify({ name: "p", title: secret }))]]]),
    });
    const text = (await encodeCatalogue(server, NAME, KEY, redactor([secret]))) ?? "";
    expect(text).not.toContain("1234567");
    const back = await decode(text);
    expect(back?.tools[0]?.value["description"]).toBe("with [redacted] in it");
    expect(back?.others.get("prompts")?.[0]?.value["name"]).toBe("p");
  });

  it("leaves out a definition that redaction makes invalid JSON", async () => {
    const server = known({ tools: [item('{"name":"a","n":1234567}'), item('{"name":"b"}')] });
    const text = (await encodeCatalogue(server, NAME, KEY, redactor(["1234567"]))) ?? "";
    const back = await decode(text);
    expect(back?.tools.map(({ value }) => value["name"])).toEqual(["b"]);
  });

  it("leaves out less important lists to stay below its maximum size, and is not written if that fails", async () => {
    const huge = item(JSON.stringify({ uri: "x".repeat(MAX_BYTES) }));
    const others = new Map<ListName, ListedItem[]>([
      ["prompts", [item('{"name":"p"}')]],
      ["resources", [huge]],
    ]);
    const back = await decode(await encode(known({ others })));
    expect([...(back?.others.keys() ?? [])]).toEqual(["prompts"]);
    expect(await encodeCatalogue(known({ tools: [huge] }), NAME, KEY, nothing)).toBeUndefined();
  });

  it.each([
    { instructions: "x".repeat(200_000) },
    { serverInfo: { name: "x".repeat(200_000) } },
    { capabilities: { tools: { x: "x".repeat(200_000) } } },
    { tools: [item(JSON.stringify({ name: "a", description: "x".repeat(200_000) }))] },
  ])("is not written if it would take long to look for secrets in one text", async (large) => {
    expect(await encodeCatalogue(known(large), NAME, KEY, nothing)).toBeUndefined();
  });
});

describe("the file of a server that never connected", () => {
  it("is distinguished from a catalogue, and checked like one", async () => {
    const text = encodeUnreachable(NAME, KEY);
    expect(await decodeCatalogue(text, NAME, KEY)).toBe("unreachable");
    expect(await decodeCatalogue(text, "f".repeat(32), KEY)).toBeUndefined();
    expect(await decodeCatalogue(text.replace("un", "xx"), NAME, KEY)).toBeUndefined();
  });
});
