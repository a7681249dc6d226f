/**
 * A second implementation of policies, as short as possible and without code of the first: it reads
 * the configuration for every question and compiles nothing.
 */

export type Action = "allow" | "ask" | "deny";
export type Scalar = { readonly text: string } | { readonly written: string };
export type Json =
  | Scalar
  | null
  | readonly Json[]
  | { readonly members: Readonly<Record<string, Json>> };

export interface Rule {
  readonly tools?: readonly string[];
  readonly class?: readonly string[];
  readonly openWorld?: boolean;
  readonly arguments?: Readonly<Record<string, readonly string[]>>;
  readonly clients?: readonly string[];
  readonly action: Action;
}

export interface LevelConfig {
  readonly readOnly?: boolean;
  readonly rules?: readonly Rule[];
  readonly default?: Action;
}

export interface Question {
  /** The policies of the configuration, the toolbox and the server. */
  readonly levels: readonly LevelConfig[];
  readonly client: { readonly name: string; readonly readOnly: boolean };
  readonly server: string;
  readonly tool: {
    readonly name: string;
    readonly class: string | undefined;
    readonly annotations: { readonly [hint: string]: boolean };
    readonly isTrusted: boolean;
  };
  readonly args: Json;
}

/** What happens to a call of a tool. */
export function actionFor({ levels, client, server, tool, args }: Question): Action {
  const kind = classFor(tool);
  const openWorld = !(tool.isTrusted && tool.annotations["openWorldHint"] === false);
  const answers = levels.map(({ readOnly = false, rules = [], default: other = "allow" }) => {
    if (readOnly && kind !== "read") return "deny";
    for (const rule of rules) {
      const fits =
        (!rule.tools || glob(rule.tools, `${server}/${tool.name}`)) &&
        (!rule.class || rule.class.includes(kind)) &&
        (rule.openWorld === undefined || rule.openWorld === openWorld) &&
        (!rule.clients || glob(rule.clients, client.name)) &&
        Object.entries(rule.arguments ?? {}).every(([path, globs]) => {
          const found = find(args, path.split(".")).map(
            (value) => value !== undefined && glob(globs, value),
          );
          return rule.action === "allow"
            ? found.length > 0 && !found.includes(false)
            : found.includes(true);
        });
      if (fits) return rule.action;
    }
    return other;
  });
  if (client.readOnly && kind !== "read") answers.push("deny");
  if (answers.includes("deny")) return "deny";
  return answers.includes("ask") ? "ask" : "allow";
}

/** Whether the prompts and resources of a server may be used. */
export function allowsOthers(levels: readonly LevelConfig[], client: string): boolean {
  return levels.every(({ rules = [], default: other = "allow" }) => {
    const about = rules.find(
      (rule) =>
        !rule.tools &&
        !rule.class &&
        rule.openWorld === undefined &&
        Object.keys(rule.arguments ?? {}).length === 0 &&
        (!rule.clients || glob(rule.clients, client)),
    );
    return (about?.action ?? other) !== "deny";
  });
}

function classFor({ class: given, annotations, isTrusted }: Question["tool"]): string {
  if (given !== undefined) return given;
  if (!isTrusted) return "destructive";
  if (annotations["readOnlyHint"] === true) return "read";
  return annotations["destructiveHint"] === false ? "write" : "destructive";
}

function glob(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    const source = pattern
      .replace(/[\\^$.+()[\]{}|]/g, "\\$&")
      .replaceAll("*", "[^]*")
      .replaceAll("?", "[^]");
    return new RegExp(`^${source}$`).test(text);
  });
}

function find(value: Json | undefined, path: readonly string[]): (string | undefined)[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => find(item, path));
  const [key, ...rest] = path;
  if (value === null || value === undefined) return [undefined];
  if (key !== undefined) {
    const members = "members" in value ? value.members : {};
    return Object.hasOwn(members, key) ? find(members[key], rest) : [undefined];
  }
  if ("text" in value)
    return value.text.startsWith("[")
      ? [value.text, ...(JSON.parse(value.text) as string[])]
      : [value.text];
  return "written" in value ? [value.written] : [undefined];
}
