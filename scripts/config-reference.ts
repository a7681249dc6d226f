import type { Rule } from "../src/config/check/rule.ts";

/** Writes the reference part of docs/configuration.md: one table for each level of the file. */

export interface DescribedRule extends Rule {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedRule>>;
  readonly additionalProperties?: false | DescribedRule;
  readonly items?: DescribedRule;
  readonly anyOf?: readonly DescribedRule[];
}

interface Row {
  readonly key: string;
  readonly rule: DescribedRule;
  readonly required: boolean;
}

export function renderConfigReference(config: DescribedRule): string {
  const toolbox = entryOf(property(config, "toolboxes"));
  const server = entryOf(property(toolbox, "mcpServers"));
  const [local, remote, scripts] = server.anyOf ?? [];
  if (local === undefined || remote === undefined || scripts === undefined)
    throw new Error("Expected three kinds of servers");
  const localKeys = new Set(Object.keys(local.properties ?? {}));
  const remoteKeys = new Set(Object.keys(remote.properties ?? {}));
  // `type` is in both, but with different values.
  const common = (key: string): boolean =>
    key !== "type" && localKeys.has(key) && remoteKeys.has(key);
  const rows = (rule: DescribedRule, keep: (key: string) => boolean): Row[] =>
    rowsOf(rule).filter(({ key }) => keep(key.split(".")[0] ?? key));
  return [
    "### Top level",
    table(rowsOf(config)),
    "### A toolbox: `toolboxes.<name>`",
    table(rowsOf(toolbox)),
    "### A local server: `toolboxes.<name>.mcpServers.<name>`",
    table(rows(local, (key) => !common(key))),
    "### A remote server: `toolboxes.<name>.mcpServers.<name>`",
    table(rows(remote, (key) => !common(key))),
    "### Saved scripts: `toolboxes.<name>.mcpServers.<name>`",
    table(rows(scripts, (key) => key === "scripts")),
    "### Any server",
    table(rows(local, common)),
    "### A tool: `toolboxes.<name>.mcpServers.<name>.overrides.<tool>`",
    table(rowsOf(entryOf(property(local, "overrides")))),
  ].join("\n\n");
}

/** The keys of an object, including those of nested objects with fixed keys. */
function rowsOf(rule: DescribedRule, prefix = "", required = rule.required ?? []): Row[] {
  return Object.entries(rule.properties ?? {}).flatMap(([key, child]) => [
    { key: prefix + key, rule: child, required: required.includes(key) },
    // A value that may also be something simpler has its keys in one of the alternatives.
    ...[child, ...(child.anyOf ?? [])].flatMap((rule) => rowsOf(rule, `${prefix}${key}.`)),
  ]);
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ key, rule, required }) =>
    [`\`${key}\``, typeText(rule), defaultText(rule, required), rule.description ?? ""].map(cell),
  );
  return [["Key", "Type", "Default", "Meaning"], ["---", "---", "---", "---"], ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

function typeText(rule: DescribedRule): string {
  if (rule.anyOf !== undefined) return rule.anyOf.map(typeText).join(" or ");
  if (rule.const !== undefined) return `\`${JSON.stringify(rule.const)}\``;
  if (rule.enum !== undefined) return rule.enum.map((v) => `\`${JSON.stringify(v)}\``).join(" or ");
  if (rule.type === "integer") return `integer, ${rule.minimum} to ${rule.maximum}`;
  if (rule.type === "array") return `list of ${rule.items?.type ?? "value"}s`;
  if (rule.type === "object" && rule.additionalProperties) {
    const { type, anyOf } = rule.additionalProperties;
    return `object of ${type === undefined && anyOf === undefined ? "value" : (type ?? "object")}s`;
  }
  return rule.type ?? "any value";
}

function defaultText(rule: DescribedRule, required: boolean): string {
  if (required) return "required";
  // Objects with fixed keys show their defaults in the rows of those keys.
  if (rule.default === undefined || rule.properties !== undefined) return "";
  return `\`${JSON.stringify(rule.default)}\``;
}

function property(rule: DescribedRule, key: string): DescribedRule {
  const found = rule.properties?.[key];
  if (found === undefined) throw new Error(`The schema has no "${key}"`);
  return found;
}

function entryOf(rule: DescribedRule): DescribedRule {
  if (!rule.additionalProperties) throw new Error("Expected an object of entries");
  return rule.additionalProperties;
}
