import { describe, expect, it } from "vitest";

import { LIMITS, startedScript } from "../../../test/support/fake-engine-host.ts";
import { failureText, loadFailureText } from "../../scripts/script-failure.ts";
import { plainCode } from "./plain-code.ts";

const limits = { ...LIMITS, totalMs: 1 };

/** What the callers of a script get that fails. */
async function failureOf(source: string): Promise<string> {
  const file = "a.ts";
  const code = await plainCode({ name: "a", file, source });
  const { end } = await startedScript(code, {}, "run");
  if (end?.kind !== "error") throw new Error(JSON.stringify(end));
  return failureText(end, { source, saved: { file, code } }, limits);
}

describe("an error of a saved script", () => {
  it.each([
    "export const a: number = 1; export function run() { ^missing(); }",
    "interface A { b: string }\nexport const description = `ä${1 as number}`; export async function run(x: A): Promise<void> {\n  await 1; throw new ^Error('x') }",
    "export const run = async (i: { a: number }): Promise<void> => ^missing(i as any);",
    "export enum E { One }\nconst f = (): void => { ^missing() };\nexport { f as run };",
    "^missing();\nexport const run = () => 1;",
  ])("has the place in its file: %j", async (marked) => {
    const source = marked.replace("^", "");
    const before = marked.slice(0, marked.indexOf("^")).split("\n");
    const [first, line] = (await failureOf(source)).split("\n");
    expect(first?.replace(/^.* at /, "")).toBe(
      `a.ts:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`,
    );
    expect(line).toBe(`${before.length} | ${source.split("\n")[before.length - 1] ?? ""}`);
  });

  it.each([
    [
      "export const = ;",
      "SyntaxError: Unexpected token (TypeScript) at line 1:14: export const = ;",
    ],
    [
      "namespace N { export const a = 1 }",
      "SyntaxError: TypeScript namespaces are not supported in scripts; use an object at line 1:1",
    ],
  ])("in %j is known before it runs", async (source, reason) => {
    await expect(plainCode({ name: "a", file: "a.ts", source })).rejects.toThrow(reason);
  });

  it("names no setting if the limit is not one", () => {
    expect(loadFailureText({ kind: "limit", limit: "cpuMs" }, "", limits)).toBe(
      "its top level: it computed for more than 60000 ms",
    );
  });
});

describe("a saved script with the extension .js", () => {
  it("is JavaScript, not TypeScript", async () => {
    const source = "const f = 1, g = 2; export const run = () => f < g > (1);";
    expect(await plainCode({ name: "a", file: "a.js", source })).toBe(source);
  });
});
