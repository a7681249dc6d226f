import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SERVERS, TOOLS, jsonText, level } from "../../../test/support/policy/policy-cases.ts";
import {
  type Json,
  type LevelConfig,
  actionFor,
  allowsOthers,
} from "../../../test/support/policy/reference-policy.ts";
import type { PolicyRule, PolicySettings } from "../../config/types.ts";
import { settingsWith } from "../../../test/support/fake-connection.ts";
import type { Principal } from "../../calls/principal.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { ServerPolicy } from "./policy.ts";
import { levelsOf } from "./levels.ts";

/** What is hidden is compared with what the reference denies in every possible case. */

const ci: Principal = { kind: "token", id: "t", name: "ci", readOnly: false };
const CLASSES = ["read", "write", "destructive"] as const;

/** One value for every glob of the cases, one that none but `*` matches, and none at all. */
const VALUES: readonly (Json | undefined)[] = [
  undefined,
  ...["main", "mn", "abcde", "", "x", "other"].map((text) => ({ text })),
  ...["1", "1.0", "1e0", "true"].map((written) => ({ written })),
];

function* argumentsWith(paths: readonly string[]): Generator<Json> {
  const [first, ...rest] = paths;
  if (first === undefined) {
    yield { members: {} };
    return;
  }
  for (const other of argumentsWith(rest))
    for (const value of VALUES)
      yield value === undefined ? other : put(other, first.split("."), value);
}

function put(json: Json | undefined, [key = "", ...rest]: readonly string[], value: Json): Json {
  const members = (json as { members?: Readonly<Record<string, Json>> } | undefined)?.members ?? {};
  const inner = rest.length === 0 ? value : put(members[key], rest, value);
  return { members: { ...members, [key]: inner } };
}

function policyOf(config: LevelConfig, overrides: object): ServerPolicy {
  const rules = (config.rules ?? []) as readonly PolicyRule[];
  const policy: PolicySettings = {
    readOnly: config.readOnly ?? false,
    rules,
    default: config.default ?? "allow",
  };
  const settings = settingsWith({ name: "git", policy, overrides: overrides as never });
  const all = { toolboxes: new Map() } as unknown as Parameters<typeof levelsOf>[0];
  return new ServerPolicy(settings, levelsOf(all, settings));
}

const pathsIn = ({ rules = [] }: LevelConfig): string[] => [
  ...new Set(rules.flatMap((rule) => Object.keys(rule.arguments ?? {}))),
];
const small = level.filter((config) => pathsIn(config).length <= 2);

describe("what a policy hides", () => {
  it("is a tool whose every call is denied", () => {
    fc.assert(
      fc.property(
        small,
        fc.constantFrom(...TOOLS),
        fc.constantFrom(...CLASSES),
        (config, name, toolClass) => {
          const value = { name };
          const catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
          const verdict = policyOf(config, { [name]: { class: toolClass } }).verdict(
            catalogue,
            name,
            ci,
          );
          const tool = { name, class: toolClass, annotations: {}, isTrusted: false };
          const all = [...argumentsWith(pathsIn(config))];
          const answers = all.map((args) =>
            actionFor({ levels: [config], client: ci, server: "git", tool, args }),
          );
          expect(verdict?.isHidden).toBe(answers.every((answer) => answer === "deny"));
          expect(all.map((args) => verdict?.decide(jsonText(args, false)).action)).toEqual(answers);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is a tool that a rule allows only where a rule before it denies", () => {
    const value = { name: "push" };
    const catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
    type Globs = Readonly<Record<string, string[]>>;
    const hides = (allowed: Globs, ...denied: Globs[]): boolean | undefined => {
      const rules = [
        ...denied.map((given) => ({ arguments: given, action: "deny" as const })),
        { arguments: allowed, action: "allow" as const },
      ];
      return policyOf({ rules, default: "deny" }, {}).verdict(catalogue, "push", ci)?.isHidden;
    };
    expect(hides({ a: ["*"] }, { a: ["*"] })).toBe(true);
    expect(hides({ a: ["main"], b: ["x"] }, { a: ["m*"] })).toBe(true);
    expect(hides({ a: ["main", "x1"] }, { a: ["main"] }, { a: ["x?"] })).toBe(true);
    expect(hides({ a: ["m*"] }, { a: ["m?"] })).toBe(false);
    expect(hides({ a: ["main", "x"] }, { a: ["main"] })).toBe(false);
    expect(hides({ a: ["main"] }, { a: ["main"], b: ["*"] })).toBe(false);
  });

  it("is a server of which nothing can be used", () => {
    let hidden = 0;
    fc.assert(
      fc.property(small, (config) => {
        const args = [...argumentsWith(pathsIn(config))];
        // More names than the globs can tell apart.
        const names = [...TOOLS, "zzz", "get/x", "xet", "x/a/x"];
        const allowed = names.some((name) =>
          CLASSES.some((toolClass) =>
            [true, false].some((openWorld) =>
              args.some((given) => {
                const annotations = { openWorldHint: openWorld };
                const tool = { name, class: toolClass, annotations, isTrusted: true };
                const question = { levels: [config], client: ci, server: "git", tool, args: given };
                return actionFor(question) !== "deny";
              }),
            ),
          ),
        );
        const hides = policyOf(config, {}).hides(ci);
        if (hides) hidden++;
        expect([hides, !allowed]).toEqual([hides, hides || !allowed]);
        expect(hides && allowsOthers([config], ci.name)).toBe(false);
      }),
      { numRuns: 600 },
    );
    // With 20 seeds: 108 on average, with a standard deviation of 10.
    expect(hidden).toBeGreaterThan(40);
  });

  it("follows the stricter reading of a fixed argument that is not clear", () => {
    const value = { name: "push" };
    const catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true, {
      push: { arguments: { at: '{"n":5}' } },
    } as never);
    const rule = (action: "allow" | "deny") => ({ arguments: { "at.n": ["1"] }, action });
    const hides = (config: LevelConfig): boolean | undefined =>
      policyOf(config, {}).verdict(catalogue, "push", ci)?.isHidden;
    expect(hides({ rules: [rule("deny")] })).toBe(true);
    expect(hides({ rules: [rule("allow")], default: "deny" })).toBe(true);
  });

  it("is a server that no pattern of an allowed tool can match", () => {
    const others = { tools: ["files/*", "*/x*y"], action: "allow" as const };
    expect(policyOf({ rules: [others], default: "deny" }, {}).hides(ci)).toBe(false);
    const never = { tools: ["files/*"], action: "allow" as const };
    expect(policyOf({ rules: [never], default: "deny" }, {}).hides(ci)).toBe(true);
    expect(SERVERS).toContain("files");
  });

  it("is a tool that waits for an approval, too", () => {
    const names = ["get", "del"].map((name) => ({ value: { name }, text: `{"name":"${name}"}` }));
    const withheld = new Map([
      ["get", "changed"],
      ["del", "changed"],
    ]);
    const catalogue = new Catalogue(names, () => true, {}, { withheld, problems: [] });
    const rules = [{ tools: ["*/del"], action: "deny" as const }];
    const seen = policyOf({ rules }, {}).seen(catalogue, ci);
    expect([...(seen.withheld ?? [])]).toEqual([["get", "changed"]]);
    const reading = policyOf({ readOnly: true }, { get: { class: "read" } }).seen(catalogue, ci);
    expect([...(reading.withheld ?? [])]).toEqual([["get", "changed"]]);
  });
});
