import { basename } from "node:path";

/** Programs that fetch a package and run it, with the words that come before the package. */
const RUNNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npx", []],
  ["bunx", []],
  ["pnpx", []],
  ["uvx", []],
  ["pnpm", ["dlx"]],
  ["yarn", ["dlx"]],
  ["npm", ["exec", "x"]],
  ["uv", ["tool", "run"]],
]);
/** Options of these programs that take a value. */
const WITH_VALUE = new Set(["-p", "--package", "--from", "--python", "--with", "-c", "--registry"]);
const SHELL_WORDS = new Set(["cmd", "cmd.exe", "/c"]);

/** The package of a command line that runs its latest version; undefined if it is pinned or there is none. */
export function unpinnedPackage(words: readonly string[]): string | undefined {
  const line = words.filter((word, index) => index > 1 || !SHELL_WORDS.has(word.toLowerCase()));
  const [program = "", ...rest] = line;
  const before = RUNNERS.get(basename(program).replace(/\.(cmd|exe)$/i, ""));
  if (before === undefined) return undefined;
  let args = rest;
  for (const word of before) if (args[0] === word) args = args.slice(1);
  if (before.length > 0 && args.length === rest.length) return undefined;
  const spec = packageOf(args);
  return spec === undefined || isPinned(spec) ? undefined : spec.replace(/@latest$/, "");
}

function packageOf(args: readonly string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    const inline = /^(?:--package|-p|--from)=(.+)$/.exec(word)?.[1];
    if (inline !== undefined) return inline;
    if (word === "--package" || word === "-p" || word === "--from") return args[index + 1];
    if (word.startsWith("-") || WITH_VALUE.has(args[index - 1] ?? "")) continue;
    return word;
  }
  return undefined;
}

/** A version, a file, a commit of a repository: anything that identifies the code. */
function isPinned(spec: string): boolean {
  if (/^[./~]|^[a-z+]+:|\.tgz$/i.test(spec)) return true;
  return /.@v?\d|==\d/.test(spec);
}
