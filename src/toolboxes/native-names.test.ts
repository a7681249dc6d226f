import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { NAME_PATTERN } from "../config/check/names.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import { formatToolName, parseToolName } from "./native-names.ts";

const LISTABLE = /^[A-Za-z0-9_.-]{1,128}$/;

/** Few characters, so that names that could be confused are frequent. */
const confusable = fc.string({
  unit: fc.constantFrom("a", "_", "__", ".", "é", "è", "\ud800", "\ud801", "/"),
  minLength: 1,
  maxLength: 6,
});
const anyName = fc.oneof(confusable, anyText(200), fc.constant("x".repeat(130)));
const identifiers: fc.Arbitrary<ToolIdentifier> = fc.record({
  toolbox: anyName,
  server: anyName,
  name: anyName,
});

/** What a configuration lets through. */
const configName = fc
  .stringMatching(/^[a-z0-9](?:[a-z0-9._-]{0,10}[a-z0-9])?$/)
  .filter((name) => NAME_PATTERN.test(name));
const ordinary: fc.Arbitrary<ToolIdentifier> = fc.record({
  toolbox: configName,
  server: configName,
  name: fc.stringMatching(/^[A-Za-z0-9_.-]{1,60}$/),
});

describe("formatToolName", () => {
  it("returns a name that every client accepts, always the same", () => {
    fc.assert(
      fc.property(identifiers, (tool) => {
        expect(formatToolName(tool)).toMatch(LISTABLE);
        expect(formatToolName({ ...tool })).toBe(formatToolName(tool));
      }),
      { numRuns: 500 },
    );
  });

  it("returns different names for different tools", () => {
    const key = ({ toolbox, server, name }: ToolIdentifier): string =>
      JSON.stringify([toolbox, server, name]);
    const several = fc.uniqueArray(fc.oneof(identifiers, ordinary), {
      selector: key,
      minLength: 2,
      maxLength: 40,
    });
    fc.assert(
      fc.property(several, (tools) => {
        expect(new Set(tools.map(formatToolName)).size).toBe(tools.length);
      }),
      { numRuns: 500 },
    );
  });

  it("does not change legal names, and they can be parsed back", () => {
    fc.assert(
      fc.property(ordinary, (tool) => {
        const name = formatToolName(tool);
        expect(name).toBe(`${tool.toolbox}__${tool.server}__${tool.name}`);
        expect(parseToolName(name)).toEqual(tool);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[ToolIdentifier, ToolIdentifier]>([
    [
      { toolbox: "a_", server: "b", name: "c" },
      { toolbox: "a", server: "_b", name: "c" },
    ],
    [
      { toolbox: "a", server: "b_", name: "c" },
      { toolbox: "a", server: "b", name: "_c" },
    ],
    [
      { toolbox: "a__b", server: "c", name: "d" },
      { toolbox: "a", server: "b", name: "c__d" },
    ],
    [
      { toolbox: "a", server: "b", name: "\ud800" },
      { toolbox: "a", server: "b", name: "\ud801" },
    ],
    [
      { toolbox: "a", server: "b", name: "x y" },
      { toolbox: "a", server: "b", name: "x_y" },
    ],
  ])("returns different names for %j and %j", (one, other) => {
    expect(formatToolName(one)).not.toBe(formatToolName(other));
  });

  it("never returns a name that was generated for another tool", () => {
    const odd = { toolbox: "dev", server: "fx", name: "read file" };
    const given = parseToolName(formatToolName(odd)) as ToolIdentifier;
    expect(formatToolName(given)).not.toBe(formatToolName(odd));
  });

  it("keeps the beginning of a name that it makes legal", () => {
    expect(formatToolName({ toolbox: "dev", server: "fx", name: "read file" })).toMatch(
      /^dev__fx__read_file\.h[0-9a-f]{20}$/,
    );
  });

  it("keeps names of up to 128 characters and shortens longer ones", () => {
    const named = (length: number): ToolIdentifier => ({
      toolbox: "dev",
      server: "fx",
      name: "x".repeat(length - "dev__fx__".length),
    });
    expect(parseToolName(formatToolName(named(128)))).toEqual(named(128));
    expect(formatToolName(named(129))).toMatch(/^dev__fx__x+\.h[0-9a-f]{20}$/);
    expect(formatToolName(named(129))).toHaveLength(128);
  });
});

describe("parseToolName", () => {
  it.each<[string, ToolIdentifier]>([
    ["dev__fx__echo", { toolbox: "dev", server: "fx", name: "echo" }],
    ["dev__fx__a__b", { toolbox: "dev", server: "fx", name: "a__b" }],
    ["dev__fx____a", { toolbox: "dev", server: "fx", name: "__a" }],
    ["dev__fx__a__", { toolbox: "dev", server: "fx", name: "a__" }],
    ["d__f___", { toolbox: "d", server: "f", name: "_" }],
    ["d_e_v__f-x__a.b", { toolbox: "d_e_v", server: "f-x", name: "a.b" }],
  ])("reads %s", (name, tool) => {
    expect(parseToolName(name)).toEqual(tool);
  });

  it.each(["", "echo", "dev__fx", "dev__fx__", "__fx__echo", "dev____echo", "____", "dev_fx_echo"])(
    "finds no identifier in %j",
    (name) => {
      expect(parseToolName(name)).toBeNull();
    },
  );

  it("returns non-empty parts that make up the name, or null", () => {
    fc.assert(
      fc.property(fc.oneof(anyText(30), confusable), (text) => {
        const tool = parseToolName(text);
        const parts = tool === null ? ["none"] : [tool.toolbox, tool.server, tool.name];
        expect(parts).not.toContain("");
        expect(tool === null ? text : parts.join("__")).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
