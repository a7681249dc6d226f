/**
 * Renders the chart without Helm, which Debian does not have: the part of Go's template language and of Helm's
 * functions that the chart uses. What it does not know is an error, so that the chart stays this simple.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments, stringify } from "yaml";

import { type Node, parseTemplate, type Value } from "./parse.ts";

type Data = Readonly<Record<string, unknown>>;
/** The values of variables; an inner block sees those of the outer ones. */
type Variables = Map<string, { value: unknown }>;

const text = (value: unknown): string => (value === undefined ? "" : String(value));
const indented = (count: unknown, value: unknown): string =>
  text(value).replaceAll(/^/gm, " ".repeat(Number(count)));
const isEmpty = (value: unknown): boolean =>
  !value || (typeof value === "object" && Object.keys(value).length === 0);

const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  list: (...items) => items,
  dict: (...items) =>
    Object.fromEntries(items.flatMap((key, i) => (i % 2 === 0 ? [[text(key), items[i + 1]]] : []))),
  merge: (first, second) => ({ ...(second as Data), ...(first as Data) }),
  toJson: (value) => JSON.stringify(value),
  toPrettyJson: (value) => JSON.stringify(value, undefined, 2),
  toYaml: (value) => stringify(value).trimEnd(),
  nindent: (count, value) => `\n${indented(count, value)}`,
  quote: (value) => JSON.stringify(text(value)),
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  printf: (format, ...args) => text(format).replaceAll(/%[sd]/g, () => text(args.shift())),
  add: (...numbers) => numbers.reduce<number>((sum, number) => sum + Number(number), 0),
  mul: (...numbers) => numbers.reduce<number>((product, number) => product * Number(number), 1),
  not: (value) => isEmpty(value),
  trunc: (count, value) => text(value).slice(0, Number(count)),
  sha256sum: (value) => createHash("sha256").update(text(value)).digest("hex"),
};

class Renderer {
  readonly #defined = new Map<string, readonly Node[]>();

  define(nodes: readonly Node[]): void {
    for (const node of nodes) if (node.kind === "define") this.#defined.set(node.name, node.body);
  }

  render(nodes: readonly Node[], dot: unknown, variables: Variables): string {
    return nodes.map((node) => this.#node(node, dot, variables)).join("");
  }

  #node(node: Node, dot: unknown, variables: Variables): string {
    if (node.kind === "text") return node.text;
    if (node.kind === "define") return "";
    const value = this.#value(node.value, dot, variables);
    if (node.kind === "print") return text(value);
    if (node.kind === "set") {
      const known = variables.get(node.name);
      if (node.isNew) variables.set(node.name, { value });
      else if (known === undefined) throw new Error(`${node.name} does not exist`);
      else known.value = value;
      return "";
    }
    const inner = (about: unknown, more: readonly [string, unknown][] = []): string => {
      const named = more.map(([name, of]) => [name, { value: of }] as const);
      return this.render(node.body, about, new Map([...variables, ...named]));
    };
    if (isEmpty(value)) return this.render(node.otherwise, dot, new Map(variables));
    if (node.kind === "if") return inner(dot);
    if (node.kind === "with") return inner(value);
    if (Array.isArray(value)) return value.map((item) => inner(item)).join("");
    const [key = "", item = ""] = node.names;
    // Go goes through maps in the order of their keys.
    return Object.entries(value as Data)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) =>
        inner(of, [
          [key, name],
          [item, of],
        ]),
      )
      .join("");
  }

  #value(value: Value, dot: unknown, variables: Variables): unknown {
    if (value.kind === "literal") return value.value;
    if (value.kind === "path") {
      const start = value.variable === undefined ? dot : variables.get(value.variable)?.value;
      return value.keys.reduce((at, key) => {
        if (typeof at !== "object" || at === null) throw new Error(`nothing has the key ${key}`);
        return (at as Data)[key];
      }, start);
    }
    const args = value.args.map((arg) => this.#value(arg, dot, variables));
    if (value.name === "include") {
      const [name, about] = args;
      const body = this.#defined.get(text(name));
      if (body === undefined) throw new Error(`${text(name)} is not defined`);
      return this.render(body, about, new Map([["$", { value: about }]]));
    }
    const known = FUNCTIONS[value.name];
    if (known === undefined) throw new Error(`the function ${value.name} is not known`);
    return known(...args);
  }
}

/** Values of the user over those of the chart, as Helm combines them. */
export function withDefaults(defaults: unknown, given: unknown): unknown {
  if (given === undefined) return defaults;
  if (!isMap(defaults) || !isMap(given)) return given;
  const keys = new Set([...Object.keys(defaults), ...Object.keys(given)]);
  return Object.fromEntries(
    Array.from(keys, (key) => [key, withDefaults(defaults[key], given[key])]),
  );
}

function isMap(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a chart, by their kind. Every kind occurs once. */
export function renderChart(folder: string, given: Data = {}): Readonly<Record<string, Data>> {
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  const chart = parse(read("Chart.yaml")) as { name: string; version: string; appVersion: string };
  const root = {
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: "tools", Namespace: "team" },
    Values: withDefaults(parse(read("values.yaml")), given),
  };
  const renderer = new Renderer();
  const templates = readdirSync(join(folder, "templates")).map((name) => {
    const nodes = parseTemplate(read(`templates/${name}`));
    renderer.define(nodes);
    return { name, nodes };
  });
  const objects: Record<string, Data> = {};
  for (const { name, nodes } of templates) {
    const rendered = renderer.render(nodes, root, new Map([["$", { value: root }]]));
    if (!name.endsWith(".yaml")) continue;
    for (const document of parseAllDocuments(rendered)) {
      if (document.errors[0] !== undefined)
        throw new Error(`${name}: ${document.errors[0].message}\n${rendered}`);
      const object = document.toJS() as Data | null;
      if (object === null) continue;
      const kind = text(object["kind"]);
      if (kind in objects) throw new Error(`two objects of the kind ${kind}`);
      objects[kind] = object;
    }
  }
  return objects;
}
