import * as fc from "fast-check";
import type { Json, LevelConfig, Question, Rule } from "./reference-policy.ts";

/** Random questions to a policy. Names and values are few, so that rules match often. */

export const TOOLS = ["get", "get_all", "del", "a/b"];
export const SERVERS = ["git", "files"];
const CLASSES = ["read", "write", "destructive"];

const action = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

const rule: fc.Arbitrary<Rule> = fc.record(
  {
    action,
    tools: some([
      "*",
      "git/*",
      "files/*",
      "*/get*",
      "git/del",
      "files/get",
      "*/?et",
      "*/a/*",
      "other/*",
    ]),
    class: some(CLASSES),
    openWorld: fc.boolean(),
    arguments: fc.dictionary(
      fc.constantFrom("x", "y", "o.x", "o.p.q", "fixed"),
      some(["*", "main", "m*n", "1", "1.0", "1e0", "true", "", "?", "a*c*e"]),
      { maxKeys: 2 },
    ),
    clients: some(["stdio", "ci", "c*", "owner"]),
  },
  { requiredKeys: ["action"] },
);

export const level: fc.Arbitrary<LevelConfig> = fc.record(
  { readOnly: fc.boolean(), rules: fc.array(rule, { maxLength: 4 }), default: action },
  { requiredKeys: [] },
);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom("main", "mn", "man", "", "abcde", "1", "true", "ß").map((text) => ({ text })),
  fc
    .constantFrom("1", "1.0", "1e0", "-1", "12345678901234567890", "true", "false")
    .map((written) => ({ written })),
  fc.constant(null),
);
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    scalar,
    fc.array(tie("value"), { maxLength: 2 }),
    fc
      .dictionary(fc.constantFrom("x", "p", "q", "z"), tie("value"), { maxKeys: 3 })
      .map((members) => ({ members })),
  ),
})).value;
/** A list in a text. Where an object is expected, it is refused, so it is at the end of a path. */
const list = fc.option(fc.constantFrom('["main","x"]', '["abcde"]', "[]"), {
  nil: undefined,
  freq: 4,
});
const args: fc.Arbitrary<Json> = fc
  .tuple(
    fc.dictionary(fc.constantFrom("x", "y", "o", "fixed", "other"), value, { maxKeys: 4 }),
    list,
  )
  .map(([members, text]) => ({
    members: text === undefined ? members : { ...members, y: { text } },
  }));

const tool: fc.Arbitrary<Question["tool"]> = fc.record({
  name: fc.constantFrom(...TOOLS),
  class: fc.option(fc.constantFrom(...CLASSES), { nil: undefined }),
  annotations: fc.dictionary(
    fc.constantFrom("readOnlyHint", "destructiveHint", "openWorldHint"),
    fc.boolean(),
  ) as fc.Arbitrary<Readonly<Record<string, boolean>>>,
  isTrusted: fc.boolean(),
});

export interface Case extends Question {
  /** Arguments that the configuration fixes, as JSON. */
  readonly fixed: string | undefined;
  readonly method: string;
  /** How the client writes the text of a string and a key. */
  readonly escapes: boolean;
}

export const policyCase: fc.Arbitrary<Case> = fc.record({
  levels: fc.array(level, { minLength: 3, maxLength: 3 }),
  client: fc.record({
    name: fc.constantFrom("stdio", "ci", "cd", "owner"),
    readOnly: fc.boolean(),
  }),
  server: fc.constantFrom(...SERVERS),
  tool,
  args,
  fixed: fc.option(fc.constantFrom('"main"', "1.0", "true", "null", '["main","x"]'), {
    nil: undefined,
    freq: 3,
  }),
  method: fc.constantFrom(
    "tools/call",
    "tools/call",
    "tools/call",
    "prompts/get",
    "resources/read",
    "completion/complete",
    "tasks/get",
  ),
  escapes: fc.boolean(),
});

/** The JSON text of a value; texts may be written with escapes. */
export function jsonText(json: Json, escapes: boolean): string {
  if (json === null) return "null";
  if (Array.isArray(json))
    return `[${json.map((item: Json) => jsonText(item, escapes)).join(", ")}]`;
  if ("text" in json) {
    if (!escapes) return JSON.stringify(json.text);
    const codes = Array.from({ length: json.text.length }, (_, i) => json.text.charCodeAt(i));
    return `"${codes.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("")}"`;
  }
  if ("written" in json) return json.written;
  const members = Object.entries((json as { members: Readonly<Record<string, Json>> }).members);
  return `{ ${members.map(([key, item]) => `${JSON.stringify(key)} : ${jsonText(item, escapes)}`).join(" , ")} }`;
}
