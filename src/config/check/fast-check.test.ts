import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damagedConfig, validConfig } from "../../../test/support/config-arbitraries.ts";
import { ALL_RULES } from "./all-rules.ts";
import { fastCheck, compile, UNDECIDED } from "./fast-check.ts";
import { CONFIG_RULES } from "./rules.generated.ts";
import { explain } from "../explain/explain.ts";
import type { Rule } from "./rule.ts";

/** What both checks must agree on: the value they would hand on. */
function bothVerdicts(config: unknown): { fast: unknown; thorough: unknown } {
  const verdict = explain(structuredClone(config));
  return {
    fast: fastCheck(structuredClone(config), ALL_RULES),
    thorough: verdict.ok ? verdict.value : undefined,
  };
}

const withUrl = (url: string): unknown => ({
  toolboxes: { a: { description: "d", mcpServers: { x: { url } } } },
});

describe("fastCheck", () => {
  it("accepts every valid configuration, with the same defaults as the schema", () => {
    fc.assert(
      fc.property(validConfig, (config) => {
        const { fast, thorough } = bothVerdicts(config);
        expect(thorough).toBeDefined();
        expect(fast).toEqual(thorough);
      }),
    );
  });

  it("never accepts what the schema rejects, and otherwise gives the same result", () => {
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(damagedConfig, (config) => {
        const { fast, thorough } = bothVerdicts(config);
        verdicts[thorough === undefined ? "refused" : "accepted"]++;
        expect(fast ?? thorough).toEqual(thorough);
      }),
      { numRuns: 1000 },
    );
    // Otherwise the comparison would have been about nothing. With 20 seeds, 171 were accepted on average,
    // with a standard deviation of 14.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(80);
  });

  it("leaves sign-ins and secret commands, which few configurations have, to the thorough path", () => {
    const server = (oauth: unknown) => ({
      toolboxes: {
        a: { description: "d", mcpServers: { x: { url: "https://a.example", oauth } } },
      },
    });
    const commands = { toolboxes: {}, secretCommands: { a: { command: ["b"] } } };
    expect(fastCheck(server(false))).toBeDefined();
    const tls = { toolboxes: {}, http: { tls: { cert: "a", key: "b" } } };
    const redis = "redis://127.0.0.1:6379";
    const keys = ["A".repeat(43) + "="];
    const cluster = { toolboxes: {}, cluster: { redis, advertise: "http://10.0.0.7:7333", keys } };
    for (const config of [server({ account: "work" }), commands, tls, cluster]) {
      expect(fastCheck(config)).toBeUndefined();
      expect(fastCheck(config, ALL_RULES)).toBeDefined();
    }
  });

  it("applies defaults on every level", () => {
    expect(
      fastCheck({ toolboxes: { a: { description: "d", mcpServers: { x: { command: "y" } } } } }),
    ).toEqual({
      toolMode: "proxy",
      readTool: "auto",
      approvals: { waitMs: 45_000 },
      toolboxes: {
        a: {
          description: "d",
          keywords: [],
          mcpServers: {
            x: {
              command: "y",
              args: [],
              env: {},
              toolFilters: ["*"],
              overrides: {},
              annotations: "ignore",
              questions: "duringCalls",
              placement: "each",
              timeouts: {},
              limits: {},
              disabled: false,
            },
          },
        },
      },
      timeouts: {
        connectMs: 30_000,
        callMs: 120_000,
        totalMs: 600_000,
        idleMs: 600_000,
        shutdownMs: 2_000,
      },
      limits: {
        messageBytes: 16_777_216,
        concurrency: 64,
        queue: 256,
        tools: 10_000,
        pages: 100,
        rate: [],
      },
      protocol: "auto",
      isolation: "shared",
      inheritEnv: [],
      secretCommands: {},
      http: { sessions: 1_000, sessionIdleMs: 1_800_000, bodyBytes: 8_388_608 },
      shared: { idleMs: 600_000 },
      log: { level: "warn", format: "text" },
      audit: { arguments: "shape", required: false, retainDays: 90 },
      results: {
        limit: "client",
        maxBytes: 16_777_216,
        totalBytes: 268_435_456,
        idleMs: 7_200_000,
      },
      scripts: {
        memoryMb: 64,
        cpuMs: 5_000,
        totalMs: 120_000,
        calls: 1_000,
        parallel: 16,
        outputChars: 20_000,
        sourceBytes: 65_536,
      },
      credentials: "auto",
      discovery: "lazy",
      countTokens: false,
      learnFromUse: false,
      dashboard: { payloads: false },
      openBudgetTokens: 20_000,
    });
  });

  it.each([
    ["a special name", { toolboxes: { constructor: { description: "d", mcpServers: {} } } }],
    ["a key that is not data", JSON.parse('{"toolboxes": {"__proto__": {}}}')],
    ["credentials in a URL", withUrl("https://user:pass@example.com")],
    ["a URL without a host", withUrl("https://")],
    ["a list", []],
    ["undefined", undefined],
  ])("leaves the decision to the schema for %s", (_, config) => {
    expect(fastCheck(config)).toBeUndefined();
  });
});

describe("compile", () => {
  it.each<[string, object]>([
    ["an unknown keyword", { type: "string", contentEncoding: "base64" }],
    ["a keyword of another type", { type: "string", minimum: 1 }],
    ["a keyword beside a choice", { anyOf: [], minLength: 1 }],
    ["a keyword deep inside", { type: "object", properties: { a: { oneOf: [] } } }],
    ["an unknown type", { type: "null" }],
    ["an unknown format", { type: "string", format: "date" }],
  ])("rejects a rule with %s", (_, rule) => {
    expect(() => compile(rule as Rule)({ a: 1 })).toThrow(/not supported|Unknown/);
  });

  it.each([
    ["at start-up", CONFIG_RULES],
    ["in general", ALL_RULES],
  ])("supports each rule of the configuration %s", (_, rules) => {
    const seen = new Set<Rule>();
    const compileAll = (rule: Rule): void => {
      if (seen.has(rule)) return;
      seen.add(rule);
      compile(rule);
      const { anyOf = [], properties = {}, items, additionalProperties, propertyNames } = rule;
      for (const inner of [...anyOf, ...Object.values(properties)]) compileAll(inner);
      for (const inner of [items, additionalProperties, propertyNames])
        if (typeof inner === "object") compileAll(inner);
    };
    compileAll(rules);
    expect(seen.size).toBeGreaterThan(50);
  });

  it.each<[Rule, unknown[], unknown[]]>([
    [
      { type: "string", minLength: 1, maxLength: 2, pattern: "^a" },
      ["a", "ab"],
      ["", "abc", "b", 1],
    ],
    [{ type: "integer", minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, "1", 2 ** 60, null]],
    [{ type: "boolean" }, [true, false], [0, "true", null]],
    [{ enum: ["a", "b"] }, ["a"], ["c", 1, null]],
    [{ const: "a" }, ["a"], ["b"]],
    [{ type: "array", items: { type: "string" } }, [[], ["a"]], [[1], {}, "a"]],
    [{ type: "array", items: {}, minItems: 1 }, [[1]], [[]]],
    [{ anyOf: [{ const: "a" }, { type: "boolean" }] }, ["a", true], ["b"]],
    [{}, [1, null, "a", {}], []],
    [
      { type: "object", properties: { a: {} }, required: ["a"] },
      [{ a: 1 }],
      [{}, { a: 1, b: 2 }, []],
    ],
    [
      {
        type: "object",
        additionalProperties: { type: "string" },
        propertyNames: { pattern: "^x", type: "string" },
      },
      [{}, { x: "1" }],
      [{ x: 1 }, { y: "1" }, null],
    ],
  ])("supports the rule %j", (rule, good, bad) => {
    const check = compile(rule);
    for (const value of good) expect(check(value)).toEqual(value);
    for (const value of bad) expect(check(value)).toBe(UNDECIDED);
  });
});
