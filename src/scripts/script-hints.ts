import type { GuestError } from "./engine/engine.ts";
import type { Position } from "./script-position.ts";

const NO_MODULES =
  'Scripts have no modules, files, network or environment. Call tools: await call("toolbox/server/tool", { … })';
const NO_TIMERS = "Scripts have no timers. Write: await sleep(milliseconds)";

/** What to write instead of names that other programs know. */
const MISSING_NAMES: Readonly<Record<string, string>> = {
  ...forAll(["require", "module", "exports", "fs", "path", "os", "fetch", "axios"], NO_MODULES),
  ...forAll(["process", "Deno", "Bun", "window", "document", "navigator"], NO_MODULES),
  ...forAll(["setTimeout", "setInterval", "setImmediate", "queueMicrotask"], NO_TIMERS),
  use_tool: 'Write: await call("toolbox/server/tool", { … })',
  search_tools: "Search with the tool search_tools, before the script",
  print: "Write: console.log(…)",
  Buffer: "Write: atob(…) and btoa(…) for base64, Uint8Array for bytes",
  structuredClone: "Write: JSON.parse(JSON.stringify(…))",
  eval: "Scripts cannot evaluate code. Write it directly",
};

function forAll(names: readonly string[], hint: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, hint]));
}

/** An error as its reader needs it. */
export interface HintedError {
  readonly message: string;
  /** What to write instead; undefined if that is not known. */
  readonly hint?: string | undefined;
}

/** The message of an error, and what to write instead of what scripts do not have. */
export function hintedError(
  { name, message }: GuestError,
  source: string,
  position: Position | undefined,
): HintedError {
  const [, imported] = IMPORT_FAILURE.exec(message) ?? [];
  if (imported !== undefined) return { message: `${NO_IMPORTS}: ${imported}`, hint: NO_MODULES };
  const line = position && source.split("\n")[position.line - 1];
  const before = line?.slice(0, position && position.column - 1) ?? "";
  const rest = line?.slice(before.length) ?? "";
  if (name === "ReferenceError") return { message, hint: missingHint(message, before) };
  if (name !== "SyntaxError") return { message };
  if (/(?:^|[\s;{}])import\s*$/.test(before)) return { message: NO_IMPORTS, hint: NO_MODULES };
  if (/(?<![.\w$])await\s+$/.test(before) && /^[\w$("'`[{]/.test(rest))
    return { message: "await is used in a function that is not async", hint: ASYNC };
  if (/^export\b/.test(rest)) return { message: "A script exports nothing", hint: NO_EXPORTS };
  if (rest.startsWith("@")) return { message: "Scripts have no decorators", hint: NO_DECORATORS };
  return { message };
}

function missingHint(message: string, before: string): string | undefined {
  const [, missing = ""] = /^(\w+) is not defined$/.exec(message) ?? [];
  if (Object.hasOwn(MISSING_NAMES, missing)) return MISSING_NAMES[missing];
  return /\btools(?:\.[\w$]+)+-$/.test(before) ? BRACKETS : undefined;
}

const BRACKETS = 'Write names with a dash in brackets: tools.dev["my-server"]["my-tool"](…)';
const ASYNC = "Write: async () => …, and await Promise.all(…) for a list of them";
const IMPORT_FAILURE = /^could not load module ('.*')$/s;

/** Whether the engine reports that there is no such module. */
export function isImportFailure({ message }: GuestError): boolean {
  return IMPORT_FAILURE.test(message);
}

const NO_IMPORTS = "Scripts cannot import modules";
const NO_EXPORTS = "It is the body of an async function. Write: return …";
const NO_DECORATORS = "Call the function instead: const decorated = decorator(…)";
