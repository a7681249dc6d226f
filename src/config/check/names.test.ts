import * as fc from "fast-check";
import { anyCharacter } from "../../../test/support/any-character.ts";
import { describe, expect, it } from "vitest";
import { nameProblem, nameProblems, namesDifferingInCase, NAME_PATTERN } from "./names.ts";

describe("nameProblem", () => {
  it.each(["dev", "a", "incident-response", "git.hub", "my_files", "2fa", "a-_b", "x".repeat(64)])(
    "accepts %s",
    (name) => {
      expect(nameProblem(name)).toBeUndefined();
    },
  );

  it.each([
    ["", "cannot be empty"],
    ["__proto__", "special meaning in JavaScript"],
    ["constructor", "special meaning in JavaScript"],
    ["prototype", "special meaning in JavaScript"],
    ["toString", "special meaning in JavaScript"],
    ["hasOwnProperty", "special meaning in JavaScript"],
    ["a\u0000b", "control characters"],
    ["a\nb", "control characters"],
    ["a\u001b[31m", "control characters"],
    [".", "refers to a folder"],
    ["..", "refers to a folder"],
    ["a/b", "path separator"],
    ["..\\..\\x", "path separator"],
    ["a__b", "'__'"],
    ["a___b", "'__'"],
    ["_a", "begin or end with '_'"],
    ["a_", "begin or end with '_'"],
    ["x".repeat(65), "longer than 64"],
    ["con", "device on Windows"],
    ["COM1", "device on Windows"],
    ["nul.txt", "device on Windows"],
    ["my tools", "letters A-Z"],
    ["Entwicklung-ä", "letters A-Z"],
    ["-x", "begins and ends with a letter or digit"],
    ["x.", "begins and ends with a letter or digit"],
    ["dеv", "letters A-Z"], // with a Cyrillic е
  ])("rejects %j with the reason: %s", (name, reason) => {
    expect(nameProblem(name)).toContain(reason);
  });

  it.each([
    ["my tools", "my-tools"],
    ["a__b", "a_b"],
    ["_a_", "a"],
    ["github.com/org/server", "github.com-org-server"],
    ["Café", "Cafe"],
  ])("suggests for %j the name %s", (name, proposal) => {
    expect(nameProblem(name)).toContain(`Rename it, for example to '${proposal}'`);
  });

  it("suggests nothing if no legal character is left", () => {
    expect(nameProblem("///")).toMatch(/Choose another name$/);
    expect(nameProblem("con")).toMatch(/Choose another name$/);
  });

  const anyName = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "B", "9", ".", "_", "-", " ", "/"), maxLength: 6 }),
    fc.string({ unit: anyCharacter, maxLength: 70 }),
  );

  it("is at least as strict as the pattern that editors use", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        fc.pre(nameProblem(name) === undefined);
        expect(name).toMatch(NAME_PATTERN);
      }),
    );
  });

  it("accepts only names whose combination can be split at the first two separators", () => {
    const legal = anyName.filter((name) => nameProblem(name) === undefined);
    const tool = fc.string({ unit: fc.constantFrom("a", "_", "."), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(legal, legal, tool, (toolbox, server, name) => {
        const [first, second, ...rest] = `${toolbox}__${server}__${name}`.split("__");
        expect([first, second, rest.join("__")]).toEqual([toolbox, server, name]);
      }),
    );
  });

  it("suggests only names that it accepts", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const proposal = /for example to '(.*)'$/.exec(nameProblem(name) ?? "")?.[1];
        fc.pre(proposal !== undefined);
        expect(nameProblem(proposal)).toBeUndefined();
      }),
    );
  });
});

describe("namesDifferingInCase", () => {
  it("returns both names of each pair", () => {
    expect(namesDifferingInCase(["dev", "prod", "Dev", "DEV"])).toEqual([
      ["dev", "Dev"],
      ["dev", "DEV"],
    ]);
  });
});

describe("nameProblems", () => {
  it("finds illegal toolbox and server names in an otherwise broken configuration", () => {
    const problems = nameProblems({
      toolboxes: { "a/b": 5, dev: { mcpServers: { x: null, X: {} } }, odd: { mcpServers: [] } },
    });
    expect(problems.map(({ path, at }) => [path, at])).toEqual([
      [["toolboxes", "a/b"], "key"],
      [["toolboxes", "dev", "mcpServers", "X"], "key"],
    ]);
  });

  it.each([undefined, null, [], "x", {}, { toolboxes: null }, { toolboxes: [] }])(
    "finds no problem in %j",
    (config) => {
      expect(nameProblems(config)).toEqual([]);
    },
  );
});
