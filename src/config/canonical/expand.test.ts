import * as fc from "fast-check";
import { anyCharacter } from "../../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";
import { expand as expandWith, type Environment } from "./expand.ts";
import * as secretSyntax from "./secret-syntax.ts";

const env: Environment = { HOME: "/home/u", EMPTY: "", TRICKY: "${HOME}$(id)`id`" };

const expand = (value: unknown, variables: Environment) =>
  expandWith(value, variables, undefined, secretSyntax);
const text = (written: string): unknown => (expand([written], env).value as unknown[])[0];

describe("expand", () => {
  it.each([
    ["${HOME}/src", "/home/u/src"],
    ["${env:HOME}/src", "/home/u/src"],
    ["${HOME}${HOME}", "/home/u/home/u"],
    ["${MISSING:-info}", "info"],
    ["${MISSING:-}", ""],
    ["${MISSING:-a:-b}", "a:-b"],
    ["${env:MISSING:-x}", "x"],
    ["${EMPTY:-fallback}", "fallback"],
    ["a${EMPTY}b", "ab"],
    ["${HOME:-unused}", "/home/u"],
    ["$${HOME}", "${HOME}"],
    ["$$${HOME}", "$${HOME}"],
    ["${HOME}$${HOME}", "/home/u${HOME}"],
    ["$HOME $ {HOME} 5$", "$HOME $ {HOME} 5$"],
    ["", ""],
  ])("turns %j into %j", (written, expected) => {
    expect(text(written)).toBe(expected);
  });

  it("does not expand the value of a variable again", () => {
    expect(text("${TRICKY}")).toBe("${HOME}$(id)`id`");
    expect(text("${MISSING:-$(id)}")).toBe("$(id)");
  });

  it("finds only variables that are set, not properties of Object.prototype", () => {
    const { uses } = expand(["${toString}", "${constructor}", "${__proto__}"], env);
    expect(uses.map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
  });

  it("leaves keys, numbers and other values unchanged", () => {
    expect(expand({ "${HOME}": [1, true, null, { a: "${HOME}" }] }, env).value).toEqual({
      "${HOME}": [1, true, null, { a: "/home/u" }],
    });
  });

  it("reports every use with its path, and keeps missing references as they were written", () => {
    const { value, uses } = expand({ a: ["x", "${A}-${HOME}"], b: { c: "${B}" } }, env);
    expect(value).toEqual({ a: ["x", "${A}-/home/u"], b: { c: "${B}" } });
    expect(uses).toEqual([
      { path: ["a", 1], name: "A", value: undefined },
      { path: ["a", 1], name: "HOME", value: "/home/u" },
      { path: ["b", "c"], name: "B", value: undefined },
    ]);
  });

  it.each([
    ["${", "no closing"],
    ["a ${HOME", "no closing"],
    ["${}", "variable name"],
    ["${1A}", "variable name"],
    ["${A-b}", "variable name"],
    ["${A:?required}", "variable name"],
    ["${A B}", "variable name"],
    ["${A:-${B}}", "cannot refer to another variable"],
    ["${A:-${B", "cannot refer to another variable"],
    ["${input:token}", "prompts for input in an editor"],
  ])("reports %s as malformed and keeps it", (written, reason) => {
    const { value, uses, problems } = expand({ key: written }, env);
    expect(value).toEqual({ key: written });
    expect(uses).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ path: ["key"], at: "value" });
    expect(problems[0]?.message).toContain(reason);
  });

  it("does not repeat the text of a malformed reference, which may be a secret", () => {
    const { problems } = expand({ key: "${hunter2 is my password}" }, env);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });
});

describe("expand, for any text,", () => {
  const piece = fc.constantFrom(
    "$",
    "{",
    "}",
    "${",
    "$${",
    "A",
    ":-",
    "env:",
    "x",
    " ",
    "${A}",
    "${B}",
  );
  const anyText = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  it("returns a text without references unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (written) => {
        fc.pre(!written.includes("${"));
        expect(text(written)).toBe(written);
      }),
    );
  });

  it("restores a text in which every '${' was escaped", () => {
    fc.assert(
      fc.property(anyText, (written) => {
        const { value, uses, problems } = expand([written.replaceAll("${", () => "$${")], env);
        expect(value).toEqual([written]);
        expect([...uses, ...problems]).toEqual([]);
      }),
    );
  });

  it("inserts values unchanged, whatever they contain", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), anyText, (before, content) => {
        fc.pre(!before.includes("$"));
        const { value } = expand([`${before}\${A}!`], { A: content });
        expect(value).toEqual([`${before}${content}!`]);
      }),
    );
  });

  it("resolves every reference to a variable that is set", () => {
    fc.assert(
      fc.property(anyText, (written) => {
        const { value, uses, problems } = expand([written], { A: "a", B: "b" });
        fc.pre(problems.length === 0 && uses.every((use) => use.value !== undefined));
        fc.pre(!written.includes("$${"));
        expect((value as string[])[0]).not.toContain("${");
      }),
    );
  });

  it("leaves no '${' in the result without reporting it", () => {
    fc.assert(
      fc.property(anyText, (written) => {
        fc.pre(written.includes("${") && !written.includes("$${"));
        const { uses, problems } = expand([written], { A: "a" });
        expect(uses.length + problems.length).toBeGreaterThan(0);
      }),
    );
  });
});
