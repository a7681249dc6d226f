import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseChallenge } from "./challenge.ts";

const PRM = "https://mcp.example.com/.well-known/oauth-protected-resource";

describe("parseChallenge", () => {
  it.each<[string, string, ReturnType<typeof parseChallenge>]>([
    ["no challenge", "", undefined],
    ["other schemes only", 'Basic realm="x", Negotiate', undefined],
    ["a bare scheme", "Bearer", {}],
    ["any case", `BEARER Resource_Metadata="${PRM}"`, { resourceMetadata: PRM }],
    ["a realm only", 'Bearer realm="a, Bearer scope=b"', {}],
    [
      "all parameters",
      `Bearer realm="x", error="insufficient_scope", scope="a b", resource_metadata="${PRM}", error_description="say \\"hi\\" \\\\"`,
      {
        error: "insufficient_scope",
        scope: "a b",
        resourceMetadata: PRM,
        errorDescription: 'say "hi" \\',
      },
    ],
    ["a scheme before it", `Basic realm="x", Bearer scope="a"`, { scope: "a" }],
    ["a scheme after it", `Bearer scope="a", Basic scope="b"`, { scope: "a" }],
    ["a scheme with one value before it", "Negotiate YII/ab+c==, Bearer scope=a", { scope: "a" }],
    ["a scheme with one value after it", "Bearer scope=a, Negotiate oYG=", { scope: "a" }],
    ["spaces around the equals sign", 'Bearer scope = "a"', { scope: "a" }],
    ["no comma between parameters", 'Bearer error="x" scope="a"', { error: "x", scope: "a" }],
    ["empty list elements", ", ,Bearer ,scope=a,,", { scope: "a" }],
    ["an address without quotes", `Bearer resource_metadata=${PRM}`, { resourceMetadata: PRM }],
    ["what is not a scope", 'Bearer scope="a \\"b\\" c\\\\d e a \u00fc"', { scope: "a e" }],
    [
      "more scope than a login can request",
      `Bearer scope="a ${"x".repeat(999)} b"`,
      { scope: "a" },
    ],
    ["empty values", 'Bearer scope="", error=', {}],
    ["a repeated parameter", 'Bearer scope="a", scope="b"', { scope: "a" }],
    [
      "two Bearer challenges",
      `Bearer realm="x", Bearer resource_metadata="${PRM}"`,
      { resourceMetadata: PRM },
    ],
    ["quotes that never end", 'Bearer scope="a", error="x', { scope: "a" }],
    ["a word that only starts like it", "BearerToken scope=a", undefined],
    ["a parameter of no scheme", "scope=a, Bearer", {}],
    ["a DPoP challenge", 'DPoP algs="ES256", scope="a"', undefined],
  ])("understands %s", (_, header, expected) => {
    expect(parseChallenge(header)).toEqual(expected);
  });

  it("finds the same values however the challenge is written", () => {
    const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
    const others = fc.constantFrom("", 'Basic realm="a\\"b,c=d"', "Negotiate abc==", "Digest a=b");
    fc.assert(
      fc.property(
        value,
        value,
        others,
        others,
        fc.boolean(),
        (description, error, before, after, up) => {
          const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
          const own = `${up ? "BEARER" : "bearer"} error_description=${quote(description)},error=${quote(error)}`;
          const header = [before, own, after].filter((part) => part !== "").join(" , ");
          expect(parseChallenge(header)).toEqual({ errorDescription: description, error });
        },
      ),
    );
  });

  it("reads any text without failing", () => {
    const piece = fc.constantFrom("Bearer", " ", ",", "=", '"', "\\", "scope", "a/b", "é", "\n");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.string(), (pieces, rest) => {
        const found = parseChallenge(pieces.join("") + rest);
        expect(Object.values(found ?? {}).every((value) => value !== "")).toBe(true);
      }),
    );
  });

  it("ignores what comes after 16 KB", () => {
    expect(parseChallenge(`${",".repeat(16 * 1024)}Bearer scope=a`)).toBeUndefined();
  });
});
