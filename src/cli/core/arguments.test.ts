import { parseArgs } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../commands/commands.ts";
import { parsePlain } from "./arguments.ts";

const OPTIONS = COMMANDS.flatMap(({ options }) => options).filter(
  ({ name }, at, all) => all.findIndex((option) => option.name === name) === at,
);

/** What the parser of Node makes of the words; undefined if it rejects them. */
function parsed(args: readonly string[]): object | undefined {
  const known = OPTIONS.map(({ name, short, value, multiple }) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, ...(short && { short }), ...(multiple && { multiple }) }] as const;
  });
  try {
    const options = Object.fromEntries(known);
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: { ...values }, positionals };
  } catch {
    return undefined;
  }
}

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...OPTIONS).map(({ name }) => `--${name}`) },
  { weight: 3, arbitrary: fc.constantFrom("file.json", "dev/fs", "", " ", "=", "a=b") },
  fc.constantFrom("-", "--", "-h", "--no-color", "--unknown", "--config=x", "--__proto__", "-x"),
);

describe("plain options and values", () => {
  it("are understood as the parser of Node does, or left to it", () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (args) => {
        const read = parsePlain(OPTIONS, args);
        fc.pre(read !== undefined);
        plain++;
        expect(read).toEqual(parsed(args));
      }),
      { numRuns: 500, maxSkipsPerRun: 10_000 },
    );
    expect(plain).toBeGreaterThan(0);
  });

  it("are those in the entry of a client", () => {
    const args = ["--config", "/path/to/workbench-config.json", "--shared"];
    expect(parsePlain(OPTIONS, args)).toEqual({
      values: { config: "/path/to/workbench-config.json", shared: true },
      positionals: [],
    });
  });
});
