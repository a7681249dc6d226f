/**
 * What the rules of the architecture count. The source is formatted, so declarations of a module
 * begin a line and members of a class are indented by two spaces.
 */
import { importsOf, resolveImport, type SourceFile, withoutTextAndComments } from "./source.ts";

/** Files that import each other in a circle, directly or not; imports of types count. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const graph = new Map(files.map((file) => [file.path, importedFiles(file)]));
  const reachable = new Map([...graph.keys()].map((path) => [path, reach(graph, path)]));
  const cycles = new Map<string, string[]>();
  for (const [path, targets] of reachable) {
    const cycle = [...targets].filter((other) => reachable.get(other)?.has(path));
    if (cycle.length > 0) cycles.set(cycle.toSorted().join(), cycle.toSorted());
  }
  return [...cycles.values()];
}

function importedFiles({ path, text }: SourceFile): string[] {
  return importsOf(text).flatMap(({ specifier, kind }) =>
    kind === "dynamic" ? [] : (resolveImport(path, specifier) ?? []),
  );
}

function reach(graph: ReadonlyMap<string, readonly string[]>, start: string): Set<string> {
  const seen = new Set<string>();
  const pending = [...(graph.get(start) ?? [])];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    pending.push(...(graph.get(path) ?? []));
  }
  return seen;
}

/** How many statements import modules before the file runs, or for their types. */
export function countStaticImports(text: string): number {
  return importsOf(text).filter(({ kind }) => kind !== "dynamic").length;
}

export interface ClassMembers {
  readonly name: string;
  readonly members: readonly string[];
}

const MODIFIERS =
  /^ {2}(?:(?:static|readonly|override|declare|abstract|public|accessor|async|get|set) )*\*?/;

/** The public members of the classes of a file; a getter and its setter are one. */
export function publicMembers(text: string): ClassMembers[] {
  const lines = withoutTextAndComments(text).split("\n");
  const classes: ClassMembers[] = [];
  for (const [i, line] of lines.entries()) {
    const name = /^(?:export )?(?:abstract )?class (\w+)/.exec(line)?.[1];
    if (name === undefined) continue;
    const body = lines.slice(i + 1, lines.indexOf("}", i));
    classes.push({ name, members: [...new Set(body.flatMap(memberName))] });
  }
  return classes;
}

function memberName(line: string): string[] {
  if (!/^ {2}[A-Za-z_[*]/.test(line) || /^ {2}(?:private|protected|constructor\b)/.test(line)) {
    return [];
  }
  return /^(\w+|\[[\w.]+\])\s*[(<:?!=;]/.exec(line.replace(MODIFIERS, ""))?.slice(1, 2) ?? [];
}

const MUTABLE = /^new (?:Weak)?(?:Map|Set)\b|^new \w*Array\b|^\[|^\{/;
const MUTATIONS =
  /^(?:\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)\(|(?:\.\w+|\[[^\]]*\])\s*(?:[-+*/&|]|\?\?|\|\||&&)?=(?!=))/;

/** The state of a module that code may change after the module was loaded, by name. */
export function moduleState(text: string): string[] {
  const code = withoutTextAndComments(text);
  const state: string[] = [];
  const declaration =
    /^(?:export )?(let|const) (\w+)(?:: (?:[^=;]|=>)+?)? =(?!>)\s*(?=(.*))|^(?:export )?let (\w+)/gm;
  for (const [, kind, name = "", value = "", bare] of code.matchAll(declaration)) {
    if (bare !== undefined || kind === "let") state.push(bare ?? name);
    else if (isStateful(code, name, value)) state.push(name);
  }
  const fields = /^ {2}static (?!readonly |async |get |set )(#?\w+)(?:: [^=;]+?)?(?: =|;)/gm;
  for (const [, name = ""] of code.matchAll(fields)) state.push(`static ${name}`);
  return state;
}

function isStateful(code: string, name: string, value: string): boolean {
  // A weak collection is of no use unless it is filled later.
  if (value.startsWith("new Weak")) return true;
  if (!MUTABLE.test(value)) return false;
  const uses = code.matchAll(new RegExp(`(?<![\\w.$])${name}(?![\\w$])`, "g"));
  return [...uses].some(({ index }) => MUTATIONS.test(code.slice(index + name.length)));
}
