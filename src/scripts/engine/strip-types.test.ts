import { describe, expect, it } from "vitest";

import { startedScript } from "../../../test/support/fake-engine-host.ts";
import { wrapped } from "./wrapped-script.ts";
import { stripTypes } from "./strip-types.ts";

describe("a script in TypeScript", () => {
  it("keeps its tokens where they are when its types are removed", () => {
    const source = wrapped(
      "interface A {\n  b: number;\n}\nconst a = <T,>(x: T): T => x!;\nenum E { One }\nreturn a(E.One as number) satisfies number;",
    );
    const plain = (stripTypes(source) as string).split("\n");
    expect(plain).toHaveLength(source.split("\n").length);
    expect(plain[5]).toBe("const a =     (x)       => x ;");
    expect(plain[7]).toBe("return a(E.One          )                 ;");
  });

  it.each([
    ["const n = 3; return `sum ${n as number}`;", "sum 3"],
    [
      "const n: any = 3; return `a ${n as number} b ${n!}c${(n satisfies any) as any}`;",
      "a 3 b 3c3",
    ],
    ["const n: any = 3; return `a\n ${n as\n number} b\n${n!} c`;", "a\n 3 b\n3 c"],
    ["const s: ' a ' = ' a ' as ' a '; return s + / b /.source as string;", " a  b "],
    [
      "class A { constructor(private private1: string) {} get() { return this.private1! } }\nreturn new A('p').get();",
      "p",
    ],
    [
      "class A { private private1: string = 'q'; readonly r?: number; get(): string { return this.private1 } }\nreturn new A().get();",
      "q",
    ],
    [
      "const f = <T extends string>(x: T, y?: T): T => (y ?? x) as T; return f<'x'>('x') + f<'y'>('x' as any, 'y');",
      "xy",
    ],
    [
      "enum E { A = 'a', B = 'b' } const e: E = E.B as E; return `${e as string} ${E.A as string}`;",
      "b a",
    ],
    [
      "function f(this: any, a: string): string;\nfunction f(a: any) { return `<${a as string}>` } return f('o' as string);",
      "<o>",
    ],
    ["type Ä = 'ä'; const ä: Ä = 'ä' as Ä; return `ä${ä as Ä}ä` as string", "äää"],
    [
      "const a: number[] = [1, 2]; return `${a.map((x: number): string => `<${x as number}>`).join(' ') as string} e`",
      "<1> <2> e",
    ],
    [
      "let x: any = 2; const b = x! != 1 ? (x as number) : 'n'; return `${b as any} ${x! as any}`",
      "2 2",
    ],
    ["const e: any = 'e'; return `${e!}${e as any}` + `` + `}${''}` + '`${' as string", "ee}`${"],
    ["const e: any = '\ufeff'; return 'x' + `${e!}\ufeff` + e as string", "x\ufeff\ufeff\ufeff"],
  ])("has the value that it has without types: %j", async (source, text) => {
    expect((await startedScript(source)).end).toEqual({ kind: "value", text });
  });
});
