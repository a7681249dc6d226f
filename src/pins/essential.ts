import { type JsonTree, type Member, canonicalText } from "./canonical-json.ts";

/** Keywords of JSON Schema whose value is a schema, a list of schemas, or schemas by name. */
const ONE_SCHEMA = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const SCHEMA_LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const SCHEMA_MAP = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);
/** Keywords whose lists are sets. */
const UNORDERED = new Set(["enum", "required", "type"]);

type Normalise = (tree: JsonTree) => JsonTree;

/**
 * A definition without what is cosmetic. Everything that is not known to be cosmetic stays, such as
 * defaults and examples, even if they look like a schema.
 */
export function essential(kind: "tool" | "prompt" | "resourceTemplate", tree: JsonTree): JsonTree {
  return mapMembers(tree, ([key, value]) => {
    if (isTitle(key, value)) return undefined;
    if (key === "description") return collapsed(value);
    if (key === "annotations") return withoutTitle(value);
    if (kind === "tool" && (key === "inputSchema" || key === "outputSchema"))
      return essentialSchema(value);
    return kind === "prompt" && key === "arguments" ? mapItems(value, essentialArgument) : value;
  });
}

const essentialArgument: Normalise = (tree) =>
  mapMembers(tree, ([key, value]) => {
    if (isTitle(key, value)) return undefined;
    return key === "description" ? collapsed(value) : value;
  });

const withoutTitle: Normalise = (tree) =>
  mapMembers(tree, ([key, value]) => (isTitle(key, value) ? undefined : value));

const essentialSchema: Normalise = (tree) =>
  mapMembers(tree, ([key, value]) => {
    if (isTitle(key, value)) return undefined;
    if (key === "description") return collapsed(value);
    if (UNORDERED.has(key)) return sorted(value);
    if (SCHEMA_MAP.has(key)) return mapMembers(value, ([, inner]) => essentialSchema(inner));
    if (SCHEMA_LIST.has(key) && value.kind === "array") return mapItems(value, essentialSchema);
    return ONE_SCHEMA.has(key) ? essentialSchema(value) : value;
  });

function isTitle(key: string, value: JsonTree): boolean {
  return key === "title" && value.kind === "string";
}

/** Only plain white space: other blank characters can hide text. */
function collapsed(tree: JsonTree): JsonTree {
  if (tree.kind !== "string") return tree;
  return {
    kind: "string",
    value: tree.value.replaceAll(/[ \t\r\n]+/g, " ").replaceAll(/^ | $/g, ""),
  };
}

function sorted(tree: JsonTree): JsonTree {
  if (tree.kind !== "array") return tree;
  const texts = tree.items.map((item) => [canonicalText(item), item] as const);
  texts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return { kind: "array", items: texts.map(([, item]) => item) };
}

function mapMembers(tree: JsonTree, map: (member: Member) => JsonTree | undefined): JsonTree {
  if (tree.kind !== "object") return tree;
  const members = tree.members.flatMap((member): Member[] => {
    const value = map(member);
    return value === undefined ? [] : [[member[0], value]];
  });
  return { kind: "object", members };
}

function mapItems(tree: JsonTree, map: Normalise): JsonTree {
  return tree.kind === "array" ? { kind: "array", items: tree.items.map(map) } : tree;
}
