import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";

import { parseDotenv, removeVariables, setVariables, variablesOf } from "./dotenv.ts";

const read = (text: string): Record<string, string> =>
  Object.fromEntries(variablesOf(parseDotenv(text)));

describe("parseDotenv", () => {
  it.each([
    ["A=1\nB=2", { A: "1", B: "2" }],
    ["# c\n\n  A = some text  # comment\r\nexport B=x", { A: "some text", B: "x" }],
    ["A=a#b\nB=#c", { A: "a#b", B: "#c" }],
    ['A=\'a # b\' # c\nB="x\\ny\\"\\$\\\\"', { A: "a # b", B: 'x\ny"$\\' }],
    ["K='-----BEGIN\nabc\n-----END'\nB=2", { K: "-----BEGIN\nabc\n-----END", B: "2" }],
    ['K="line 1\nline 2"\r\nB=`it\'s "x"`', { K: "line 1\nline 2", B: 'it\'s "x"' }],
    ["A=\nB=''\nC=$HOME${X}", { A: "", B: "", C: "$HOME${X}" }],
    ["A=1\nA=2", { A: "2" }],
    ["\ufeffA=1\rB=2", { A: "1", B: "2" }],
    ["A=ey.J=x==", { A: "ey.J=x==" }],
  ])("reads %j", (text, variables) => {
    expect(read(text)).toEqual(variables);
    expect(parseDotenv(text).problems).toEqual([]);
  });

  it("reports lines that it cannot read, without their text", () => {
    const { problems, assignments } = parseDotenv("A=1\nhunter2\nB='open\nC=3");
    expect(problems).toEqual([
      { line: 2, message: "is not NAME=value" },
      { line: 3, message: "has a quotation mark that is not closed" },
    ]);
    expect(assignments.map(({ name }) => name)).toEqual(["A", "B", "C"]);
  });

  it("takes time in proportion to the text", () => {
    const text = `${"A='".repeat(20_000)}\n${'B="\\'.repeat(20_000)}\n${" ".repeat(20_000)}x`;
    expect(parseDotenv(text).problems.length).toBeGreaterThan(0);
  });
});

describe("setVariables and removeVariables", () => {
  const text = "# mine\nA=1 # keep\n\nexport B='two\nlines'\nC=3";

  it("keep comments, order and all other bytes", () => {
    expect(setVariables(text, new Map([["B", "x y"]]))).toBe("# mine\nA=1 # keep\n\nB='x y'\nC=3");
    expect(setVariables(text, new Map([["A", "1"]]))).toBe(text);
    expect(setVariables(text, new Map([["D", "4"]]))).toBe(`${text}\nD=4\n`);
    expect(setVariables("A=1\r\n", new Map([["D", "4"]]))).toBe("A=1\r\nD=4\r\n");
    expect(removeVariables(text, new Set(["B"]))).toBe("# mine\nA=1 # keep\n\nC=3");
  });

  it("read back every value that they write", () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: anyCharacter }),
      fc.constant("a'b\"c\\n$`\r\n"),
    );
    const name = fc.constantFrom("A", "B", "C_1");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 4 }),
        fc.array(fc.tuple(name, value), { maxLength: 4 }),
        (one, two) => {
          const first = setVariables("# c\n", new Map(one));
          const both = setVariables(first, new Map(two));
          expect(read(both)).toEqual({ ...Object.fromEntries(one), ...Object.fromEntries(two) });
          expect(removeVariables(first, new Set(["A", "B", "C_1"]))).toBe("# c\n");
        },
      ),
    );
  });
});
