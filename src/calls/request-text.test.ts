import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { requestIn } from "../../test/support/fake-client.ts";
import { jsonTexts, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import type { IncomingRequest, JsonObject } from "../wire/messages.ts";
import { clientProfile } from "../protocol/client-profile.ts";
import {
  CAPABILITIES_KEY,
  INFO_KEY,
  LOG_LEVEL_KEY,
  VERSION_KEY,
  envelopeOf,
} from "../protocol/envelope.ts";
import { readPlainCall } from "../wire/plain-messages.ts";
import { progressTokenOf } from "./call.ts";
import { metaText, requestTextFor } from "./request-text.ts";

const { value, space } = jsonTexts({ lineBreaks: false });
const envelope = envelopeOf(clientProfile("legacy", { roots: {} }, { name: "c", version: "1" }));
const ENVELOPE_KEYS = [VERSION_KEY, CAPABILITIES_KEY, INFO_KEY, LOG_LEVEL_KEY];

const withParams = (params: string): IncomingRequest =>
  requestIn(`{"jsonrpc":"2.0","id":"q","method":"prompts/get","params":${params}}`);
const withMeta = (meta: string): IncomingRequest => withParams(`{"_meta":${meta}}`);

describe("progressTokenOf", () => {
  it.each<[string, unknown]>([
    ['{"progressToken":"x"}', '"x"'],
    ['{"progressToken":""}', '""'],
    ['{"progressToken":0}', "0"],
    ['{"progressToken":1.5}', "1.5"],
    ['{"progressToken":12345678901234567891}', "12345678901234567891"],
    ['{"progressToken":1e400}', "1e400"],
    ['{"progressToken":null}', undefined],
    ['{"progressToken":{}}', undefined],
    ["{}", undefined],
    ["7", undefined],
    ["null", undefined],
  ])("reads the token of _meta %s as %j", (meta, token) => {
    expect(progressTokenOf(withMeta(meta))).toBe(token);
  });

  it("returns undefined for a request without parameters", () => {
    expect(progressTokenOf(requestIn('{"id":1,"method":"x"}'))).toBeUndefined();
  });
});

describe("metaText", () => {
  it("leaves out a progress token that is neither a string nor a number", () => {
    const request = withMeta('{"a":1,"progressToken":{"x":2}}');
    expect(metaText(request, 5, "legacy", undefined)).toBe('{"a":1}');
  });

  const meta = fc.tuple(value, fc.constantFrom('"token"', "3", "4.0")).chain(([own, token]) =>
    plainObjectWith(
      {
        progressToken: fc.constant(token),
        "example.com/own": fc.constant(own),
        [VERSION_KEY]: fc.constant('"2026-07-28"'),
        [INFO_KEY]: value,
      },
      space,
    ).map((text) => ({ text, own })),
  );

  it("replaces the progress token with the call's id and keeps everything else", () => {
    fc.assert(
      fc.property(meta, fc.constantFrom("legacy" as const, "modern" as const), (given, era) => {
        const meta = metaText(withMeta(given.text), 9, era, undefined) ?? "";
        expect(memberText(meta, "progressToken")).toBe("9");
        expect(memberText(meta, "example.com/own")).toBe(given.own);
      }),
    );
  });

  it("does not change a byte when there is nothing to replace", () => {
    fc.assert(
      fc.property(plainObjectWith({ a: value, b: value }, space), (text) => {
        expect(metaText(withMeta(text), 9, "legacy", envelope)).toBe(text);
        expect(metaText(withMeta(text), 9, "modern", undefined)).toBe(text);
      }),
    );
  });

  it("removes a modern client's envelope for a legacy server and keeps it for a modern one", () => {
    const given = JSON.stringify({ ...envelope, [LOG_LEVEL_KEY]: "info", own: 1 });
    expect(metaText(withMeta(given), 9, "legacy", undefined)).toBe('{"own":1}');
    expect(metaText(withMeta(given), 9, "modern", undefined)).toBe(given);
  });

  it("adds a legacy client's envelope for a modern server, but not for a legacy one", () => {
    const given = '{"own":1.0}';
    const meta = metaText(withMeta(given), 9, "modern", envelope) ?? "";
    expect(JSON.parse(meta)).toEqual({ own: 1, ...envelope });
    expect(memberText(meta, "own")).toBe("1.0");
    expect(metaText(withMeta(given), 9, "legacy", envelope)).toBe(given);
  });

  it("overwrites envelope keys that a legacy client wrote itself", () => {
    const given = JSON.stringify({ [VERSION_KEY]: "1999-01-01", [INFO_KEY]: { name: "other" } });
    const meta = JSON.parse(metaText(withMeta(given), 9, "modern", envelope) ?? "") as JsonObject;
    for (const key of ENVELOPE_KEYS) expect(meta[key]).toEqual(envelope[key]);
  });

  it("returns undefined for a request without `_meta`, unless an envelope is added", () => {
    for (const request of [withParams("{}"), requestIn('{"id":1,"method":"x"}'), withMeta("5")]) {
      expect(metaText(request, 9, "legacy", envelope)).toBeUndefined();
      expect(metaText(request, 9, "legacy", undefined)).toBeUndefined();
      expect(metaText(request, 9, "modern", undefined)).toBeUndefined();
      expect(JSON.parse(metaText(request, 9, "modern", envelope) ?? "")).toEqual(envelope);
    }
  });
});

describe("requestTextFor", () => {
  it("keeps every parameter that is not replaced byte for byte", () => {
    const params = fc
      .tuple(value, value)
      .chain(([first, second]) =>
        plainObjectWith(
          { first: fc.constant(first), second: fc.constant(second), third: value },
          space,
        ).map((text) => ({ text, first, second })),
      );
    fc.assert(
      fc.property(params, value, ({ text, first, second }, added) => {
        const sent = requestTextFor(withParams(text), 17, { third: undefined, fourth: added });
        expect(memberText(sent, "params", "first")).toBe(first);
        expect(memberText(sent, "params", "second")).toBe(second);
        expect(memberText(sent, "params", "third")).toBeUndefined();
        expect(memberText(sent, "params", "fourth")).toBe(added);
        expect(JSON.parse(sent)).toMatchObject({ jsonrpc: "2.0", id: 17, method: "prompts/get" });
      }),
    );
  });

  it("gives a request without parameters an empty params object", () => {
    const sent = requestTextFor(requestIn('{"id":1,"method":"a\\"b"}'), 2, { _meta: undefined });
    expect(sent).toBe('{"jsonrpc":"2.0","id":2,"method":"a\\"b","params":{}}');
  });

  it("changes only the id of a plain call when nothing is replaced", () => {
    const call = readPlainCall(
      '{"method":"tools/call","params":{ "name":"x","arguments":{"a":1.0} },"jsonrpc":"2.0","id":"c"}',
    ) as IncomingRequest;
    expect(requestTextFor(call, 9, { _meta: undefined })).toBe(
      '{"method":"tools/call","params":{ "name":"x","arguments":{"a":1.0} },"jsonrpc":"2.0","id":9}',
    );
    expect(memberText(requestTextFor(call, 9, { _meta: "{}" }), "params", "_meta")).toBe("{}");
  });
});
