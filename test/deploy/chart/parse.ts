/** Reads the part of Go's template language that the chart uses; anything else is an error. */

/** A value in a template: `.a.b`, `$name.a`, a text, a number, or a call of a function. */
export type Value =
  | { readonly kind: "path"; readonly variable: string | undefined; readonly keys: string[] }
  | { readonly kind: "literal"; readonly value: string | number }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Value[] };

export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly value: Value }
  | { readonly kind: "set"; readonly name: string; readonly value: Value; readonly isNew: boolean }
  | { readonly kind: "define"; readonly name: string; readonly body: readonly Node[] }
  | {
      readonly kind: "if" | "with" | "range";
      readonly value: Value;
      /** The names for the key and the value of a range. */
      readonly names: readonly string[];
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

type Piece = { readonly text: string } | { readonly action: string };

/** Divides a template into texts and actions; `{{-` and `-}}` remove the space beside them. */
function pieces(template: string): Piece[] {
  const found: Piece[] = [];
  let text = template;
  for (;;) {
    const match = /\{\{(-?)\s*([^]*?)\s*(-?)\}\}/.exec(text);
    if (match === null) return [...found, { text }];
    const [whole, before, action = "", after] = match;
    const left = text.slice(0, match.index);
    found.push({ text: before === "-" ? left.trimEnd() : left }, { action });
    text = text.slice(match.index + whole.length);
    if (after === "-") text = text.trimStart();
  }
}

export function parseTemplate(template: string): readonly Node[] {
  const rest = pieces(template);
  const nodes = readNodes(rest, []);
  return nodes.body;
}

interface Read {
  readonly body: readonly Node[];
  /** The action that ended it. */
  readonly end: string | undefined;
}

function readNodes(rest: Piece[], ends: readonly string[]): Read {
  const body: Node[] = [];
  for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) {
    if ("text" in piece) body.push({ kind: "text", text: piece.text });
    else if (ends.includes(piece.action)) return { body, end: piece.action };
    else body.push(readAction(piece.action, rest));
  }
  if (ends.length > 0) throw new Error(`a template has no ${ends.join(" or ")}`);
  return { body, end: undefined };
}

function readAction(action: string, rest: Piece[]): Node {
  const [word = "", ...others] = action.split(/\s+/);
  if (word === "define")
    return {
      kind: "define",
      name: JSON.parse(others.join(" ")) as string,
      body: readNodes(rest, ["end"]).body,
    };
  if (word === "if" || word === "with" || word === "range") {
    const [, names = "", value = ""] =
      /^\s*(?:(\$\w+\s*,\s*\$\w+)\s*:=)?\s*([^]*)$/.exec(action.slice(word.length)) ?? [];
    const { body, end } = readNodes(rest, ["end", "else"]);
    const otherwise = end === "else" ? readNodes(rest, ["end"]).body : [];
    return {
      kind: word,
      value: parseValue(value),
      names: names.match(/\$\w+/g) ?? [],
      body,
      otherwise,
    };
  }
  const [, name, sign, value = ""] = /^(\$\w+)\s*(:?=)\s*([^]+)$/.exec(action) ?? [];
  if (name !== undefined)
    return { kind: "set", name, value: parseValue(value), isNew: sign === ":=" };
  return { kind: "print", value: parseValue(action) };
}

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*")|(\d+)|(\$\w*(?:\.\w+)*|\.\w+(?:\.\w+)*|\.)|(\w+)|([()|]))/y;

function parseValue(text: string): Value {
  const tokens: RegExpExecArray[] = [];
  TOKEN.lastIndex = 0;
  const trimmed = text.trim();
  while (TOKEN.lastIndex < trimmed.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(trimmed);
    if (token === null) throw new Error(`cannot read '${trimmed.slice(at)}'`);
    tokens.push(token);
  }
  const value = readPipeline(tokens);
  if (tokens.length > 0) throw new Error(`cannot read '${text}'`);
  return value;
}

/** `a | b c` is `b c a`. */
function readPipeline(tokens: RegExpExecArray[]): Value {
  let value = readCommand(tokens);
  while (tokens[0]?.[5] === "|") {
    tokens.shift();
    const next = readCommand(tokens);
    if (next.kind !== "call") throw new Error("only functions can follow '|'");
    value = { ...next, args: [...next.args, value] };
  }
  return value;
}

function readCommand(tokens: RegExpExecArray[]): Value {
  const name = tokens[0]?.[4];
  if (name === undefined) return readOperand(tokens);
  tokens.shift();
  const args: Value[] = [];
  while (tokens.length > 0 && !["|", ")"].includes(tokens[0]?.[5] ?? ""))
    args.push(readOperand(tokens));
  return { kind: "call", name, args };
}

function readOperand(tokens: RegExpExecArray[]): Value {
  const [whole = "", text, number, path, name, sign] = tokens.shift() ?? [];
  if (text !== undefined) return { kind: "literal", value: JSON.parse(text) as string };
  if (number !== undefined) return { kind: "literal", value: Number(number) };
  if (path !== undefined) {
    const [first = "", ...keys] = path.split(".");
    return {
      kind: "path",
      variable: first === "" ? undefined : first,
      keys: keys.filter((key) => key !== ""),
    };
  }
  if (name !== undefined) return { kind: "call", name, args: [] };
  if (sign !== "(") throw new Error(`cannot read '${whole}'`);
  const value = readPipeline(tokens);
  if (tokens.shift()?.[5] !== ")") throw new Error("a template has no ')'");
  return value;
}
