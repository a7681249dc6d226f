import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";

import { cutAt, cuts, jsonTexts, objectWith } from "../../test/support/json-arbitraries.ts";
import { Line } from "./lines.ts";
import { type ServerMessage, type ServerResponse, readServerLine } from "./response.ts";

const { value, object, space } = jsonTexts({ lineBreaks: false });

/** A placeholder for the id; a raw control character occurs nowhere else in a JSON text. */
const HERE = "\u0001";
/** More than is parsed before it is forwarded. */
const LARGE = 20_000;

const lineOf = (text: string, places: readonly number[] = []): Line => {
  const bytes = Buffer.from(text);
  return new Line(
    cutAt(bytes, places).filter((part) => part.length > 0),
    bytes.length,
  );
};

function answerIn(message: ServerMessage): ServerResponse {
  if (message.kind !== "answer") throw new Error(`not an answer but ${message.kind}`);
  return message.response;
}

const read = (text: string): ServerMessage => readServerLine(lineOf(text));
const written = (response: ServerResponse, idText: string, insert?: string): string =>
  Buffer.concat(response.pieces(idText, insert).map((piece) => Buffer.from(piece))).toString();

/** Some answers have much text at the end, so that they are forwarded without being parsed. */
const padded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.constantFrom(0, 0, LARGE))
    .map(([body, size]) => withPadding(body, "p".repeat(size)));

function withPadding(objectText: string, padding: string): string {
  if (padding === "") return objectText;
  const inner = objectText.slice(1, -1);
  return `{${inner}${inner.trim() === "" ? "" : ","}"padding":"${padding}"}`;
}

/** The two orders that are found without a parser, which is how large answers are forwarded. */
const usual = (body: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(space, { minLength: 12, maxLength: 12 }), fc.boolean(), fc.boolean())
    .map(([s, idFirst, versionLast]) => {
      const version = `${s[0]}"jsonrpc"${s[1]}:${s[2]}"2.0"${s[3]}`;
      const id = `${s[4]}"id"${s[5]}:${s[6]}${HERE}${s[7]}`;
      const result = `${s[8]}${body}${s[9]}`;
      if (idFirst) return `{${version},${id},${result}}`;
      return versionLast ? `{${result},${id},${version}}` : `{${version},${result},${id}}`;
    });

/** Any order, with unknown members. */
const unusual = (kind: "result" | "error", body: string): fc.Arbitrary<string> =>
  objectWith(
    {
      jsonrpc: fc.constant('"2.0"'),
      id: fc.constant(HERE),
      [kind]: fc.constant(body),
      "é\u{1f600}": value,
    },
    space,
    (key) => fc.constant(JSON.stringify(key)),
  );

interface Answer {
  readonly kind: "result" | "error";
  readonly body: string;
  /** The message with a mark in place of its id. */
  readonly template: string;
}

const answers: fc.Arbitrary<Answer> = fc
  .tuple(fc.constantFrom("result" as const, "error" as const), padded(object), fc.boolean())
  .chain(([kind, body, known]) =>
    (known ? usual(`"${kind}":${body}`) : unusual(kind, body)).map((template) => ({
      kind,
      body,
      template,
    })),
  );

const ids = fc.constantFrom("1", "7", "42", "123456789012345");
const clientIds = fc.constantFrom("0", '"id"', '"a\\"b"', "9007199254740993", "-1.5");

describe("an answer from a server", () => {
  it("is forwarded byte for byte with a new id, whatever its member order, spacing, size and chunks", () => {
    const lanes = { small: 0, large: 0 };
    fc.assert(
      fc.property(answers, ids, clientIds, cuts, ({ kind, template }, id, idText, places) => {
        const text = template.replace(HERE, id);
        const line = lineOf(text, places);
        const response = answerIn(readServerLine(line));
        lanes[line.bytes > LARGE ? "large" : "small"]++;
        expect(response.id).toBe(Number(id));
        expect(response.isError).toBe(kind === "error");
        expect(response.bytes).toBe(Buffer.byteLength(text));
        expect(written(response, idText)).toBe(template.replace(HERE, idText));
        expect(response.withId(idText)).toBe(template.replace(HERE, idText));
        expect(response.parse()).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
    // Large lines are fewer: with 20 seeds, 340 on average, with a standard deviation of 16.
    expect(Math.min(lanes.small, lanes.large)).toBeGreaterThan(100);
  });

  it("can get further members at the start of its result without any other change", () => {
    const insert = '"resultType":"complete","ttlMs":0,';
    fc.assert(
      fc.property(answers, ids, cuts, ({ kind, body, template }, id, places) => {
        const response = answerIn(readServerLine(lineOf(template.replace(HERE, id), places)));
        const text = written(response, '"c"', insert);
        const untouched = template.replace(HERE, '"c"');
        const given = JSON.parse(body) as object;
        const all = { resultType: "complete", ttlMs: 0, ...given };
        const added = Object.keys(given).length === 0 ? insert.slice(0, -1) : insert;
        const message = JSON.parse(text) as Record<string, unknown>;
        expect(message[kind]).toEqual(kind === "error" ? given : all);
        expect(text.replace(added, "")).toBe(untouched);
      }),
      { numRuns: 500 },
    );
  });

  it.each(["null", "[]", "[1]", '"text"', "7", "true"])(
    "with the result %s, which is not an object, gets no further members",
    (result) => {
      for (const padding of ["", "x".repeat(LARGE)]) {
        const text = `{"jsonrpc":"2.0","id":7,"result":${result},"more":"${padding}"}`;
        const response = answerIn(read(text));
        expect(written(response, "8", '"a":1,')).toBe(text.replace("7", "8"));
      }
    },
  );

  it("can have an empty result of any width", () => {
    for (const width of [0, 1, 95, 96, 97, 500, LARGE]) {
      const text = `{"jsonrpc":"2.0","id":7,"result":{${" ".repeat(width)}}}`;
      const text8 = written(answerIn(read(text)), "8", '"a":1,');
      expect(JSON.parse(text8)).toEqual({ jsonrpc: "2.0", id: 8, result: { a: 1 } });
    }
  });

  it("keeps non-ASCII text, even before the id", () => {
    const text = '{"jsonrpc":"2.0","ä€😀":"ä€😀","id":7,"result":{}}';
    expect(written(answerIn(read(text)), "8", '"a":1,')).toBe(
      '{"jsonrpc":"2.0","ä€😀":"ä€😀","id":8,"result":{"a":1}}',
    );
  });

  it("is written as one line", () => {
    const out: string[] = [];
    const outbox = {
      line: (text: string) => void out.push(text),
      pieces: (pieces: (string | Buffer)[]) => void out.push(pieces.map(String).join("")),
    };
    for (const padding of ["", "x".repeat(LARGE)]) {
      const text = `{"jsonrpc":"2.0","id":7,"result":{"p":"${padding}"}}`;
      answerIn(read(text)).writeLine(outbox as never, '"c"');
      expect(out.splice(0).join("")).toBe(text.replace("7", '"c"'));
    }
  });

  it("can be searched for a text however it is split", () => {
    const text = `{"jsonrpc":"2.0","id":7,"result":{"p":"${"x".repeat(LARGE)}","needle":1}}`;
    const at = text.indexOf("needle");
    for (const cut of [0, at, at + 3, at + 6]) {
      const response = answerIn(readServerLine(lineOf(text, [cut])));
      expect([response.mentions("needle"), response.mentions("needles")]).toEqual([true, false]);
    }
  });

  it.each([
    ['{"jsonrpc":"2.0","id":7,"error":"text"}', true],
    ['{"jsonrpc":"2.0","id":7,"error":{"code":1},"result":null}', true],
    ['{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":1}}', true],
    ['{"jsonrpc":"2.0","id":7,"error":null,"result":{}}', false],
    ['{"jsonrpc":"2.0","id":7,"result":{},"error":null}', false],
    ['{"jsonrpc":"2.0","id":7.0,"result":{}}', false],
    ['{"id":7,"result":{}}', false],
  ])("of the odd form %s is forwarded in the correct form", (text, isError) => {
    const response = answerIn(read(text));
    expect([response.id, response.isError]).toEqual([7, isError]);
    const outcome = isError ? "error" : "result";
    const passedOn = JSON.parse(written(response, "8")) as object;
    expect(Object.keys(passedOn).sort()).toEqual(["id", "jsonrpc", outcome].sort());
  });

  it("is not parsed if it is large, until parse() is called", () => {
    const response = answerIn(read(`{"jsonrpc":"2.0","id":7,"result":{NaN${" ".repeat(LARGE)}}}`));
    expect(response.id).toBe(7);
    expect(() => response.parse()).toThrow(SyntaxError);
  });

  it("is read after a byte order mark, which is not forwarded", () => {
    for (const padding of ["", "x".repeat(LARGE)]) {
      const text = `{"jsonrpc":"2.0","id":7,"result":{"p":"${padding}"}}`;
      expect(written(answerIn(read(`\ufeff${text}`)), "7")).toBe(text);
    }
  });
});

describe("an answer from a server with a second id, or a key that resembles it", () => {
  const padding = `"p":"${"x".repeat(LARGE)}"`;
  const twice = [
    '{"jsonrpc":"2.0","id":7,"result":{},"id":3}',
    '{"jsonrpc":"2.0","id":7,"result":{},"id":7}',
    '{"jsonrpc":"2.0","id":7,"result":{},"\\u0069d":3}',
    '{"jsonrpc":"2.0","id":7,"result":{},"i\\u0064":3,"z":1}',
    '{"jsonrpc":"2.0","id":7,"id":3,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"result":{},"ID":3}',
    '{"jsonrpc":"2.0","id":7,"result":{},"\\u0049d":3}',
    '{"jsonrpc":"2.0","id":7,"result":{},"ıd":3}',
    '{"jsonrpc":"2.0","Id":3,"id":7,"result":{}}',
    '{"jsonrpc":"2.0","result":{},"ID":3,"id":7}',
    '{"jsonrpc":"2.0","id":7,"result":{},"Method":"ping"}',
    '{"jsonrpc":"2.0","id":7,"result":{},"Error":{}}',
    '{"jsonrpc":"2.0","id":7,"error":{"code":1,"Code":2}}',
  ];

  it.each(twice)("is rejected for all calls it may belong to: %s", (text) => {
    const ids = [7, 3].filter((id) => text.includes(String(id)));
    for (const size of [
      text,
      text.replace("{}", `{${padding}}`),
      `${text.slice(0, -1)},${padding}}`,
    ]) {
      const message = read(size);
      expect(message.kind).toBe("inexact");
      expect(message).toMatchObject({ ids: expect.arrayContaining(ids) as unknown });
    }
  });

  it("does not include one with ids only inside its result", () => {
    for (const more of ["", `,${padding}`]) {
      const text = `{"jsonrpc":"2.0","id":7,"result":{"id":3,"\\u0069d":4,"list":[{"id":5}]${more}}}`;
      expect(written(answerIn(read(text)), "8")).toBe(text.replace("7", "8"));
    }
  });

  it("never reaches a client with an id that the client did not use", () => {
    const hostile = fc
      .tuple(object, fc.nat(9), fc.nat(9), fc.nat(9), fc.constantFrom(0, LARGE))
      .chain(([body, a, b, c, size]) =>
        fc
          .shuffledSubarray(
            [
              `"id":${a}`,
              `"id":${b}`,
              `"\\u0069d":${c}`,
              `"Id":${c}`,
              `"result":${withPadding(body, "x".repeat(size))}`,
              '"jsonrpc":"2.0"',
              '"q":"}"',
            ],
            { minLength: 2 },
          )
          .map((members) => `{${members.join(",")}}`),
      );
    let answered = 0;
    fc.assert(
      fc.property(hostile, (text) => {
        const message = read(text);
        if (message.kind !== "answer") return;
        answered++;
        const seen = JSON.parse(written(message.response, '"mine"')) as Record<string, unknown>;
        const ids = Object.entries(seen).filter(([key]) => key.toLowerCase() === "id");
        expect(ids).toEqual([["id", "mine"]]);
      }),
      { numRuns: 1000 },
    );
    // With 20 seeds: 57 on average, with a standard deviation of 7.
    expect(answered).toBeGreaterThan(10);
  });
});

describe("a line from a server that is not an answer", () => {
  it.each([
    "",
    "   ",
    "not json",
    "null",
    "7",
    '"text"',
    "[]",
    "{}",
    '{"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":"7","result":{}}',
    '{"jsonrpc":"2.0","id":null,"error":{}}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"2.0","id":7,"result":{',
    '[{"jsonrpc":"2.0","id":7,"result":{}}]',
    'sent {"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"result":{}} sent',
  ])("is unreadable: '%s'", (text) => {
    expect(read(text).kind).toBe("noise");
    const large = text.replace('"result":{}', `"result":{"p":"${"x".repeat(LARGE)}"}`);
    expect(read(large).kind).toBe("noise");
  });

  it("is a request or a notification if it has a method, however large", () => {
    for (const p of ["", "x".repeat(LARGE)]) {
      const request = { jsonrpc: "2.0", id: 7, method: "roots/list", params: { p } };
      expect(read(JSON.stringify(request))).toMatchObject({
        kind: "request",
        request: { id: 7, idText: "7", method: "roots/list", params: { p } },
      });
      const notification = { jsonrpc: "2.0", method: "notifications/message", params: { p } };
      expect(read(JSON.stringify(notification)).kind).toBe("notification");
    }
  });

  /** Just under and just over what is parsed, with this text for the padding. */
  const [small, huge] = [8 * 1024 ** 2 - 300, 8 * 1024 ** 2 + 1].map((size) => "x".repeat(size));

  it.each([
    ["request", '{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"p":"@"}}'],
    ["notification", '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"@"}}'],
    ["answer", '{"id":7,"result":{"p":"@"}}'],
    ["answer", '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"@"}}'],
    ["answer", '{"jsonrpc":"2.0","x":1,"id":7,"result":{"p":"@"}}'],
  ])("may have 8 MB and no more if it is parsed (a %s, %#)", (kind, text) => {
    expect(read(text.replace("@", small as string)).kind).toBe(kind);
    expect(read(text.replace("@", huge as string))).toMatchObject({
      kind: "excessive",
      reason: expect.stringContaining("more than 8388608 bytes"),
    });
  });

  it("may have more than that if it is a plain result", () => {
    const text = `{"jsonrpc":"2.0","id":7,"result":{"p":"${huge}"}}`;
    expect(answerIn(read(text)).id).toBe(7);
  });

  it("never makes the reader throw, whatever it contains", () => {
    const text = fc.oneof(
      value,
      fc.string({ unit: anyCharacter }),
      fc
        .tuple(value, fc.string())
        .map(([body, rest]) => `{"jsonrpc":"2.0","id":7,"result":${body}${rest}`),
    );
    fc.assert(
      fc.property(text, cuts, fc.constantFrom(0, LARGE), (line, places, size) => {
        const message = readServerLine(lineOf(line + " ".repeat(size), places));
        expect(["answer", "request", "notification", "invalid", "inexact", "noise"]).toContain(
          message.kind,
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe("an error with more members than are parsed", () => {
  const keys = Array.from({ length: 100_001 }, (_, i) => `"k${i}":1`).join(",");

  it.each([`"data":{${keys}}`, keys])("is not checked key by key", (more) => {
    const message = read(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m",${more}}}`);
    expect(message).toMatchObject({
      kind: "excessive",
      reason: expect.stringContaining("members") as string,
    });
  });
});
