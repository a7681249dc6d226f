import { basename } from "node:path";

/** Where a package comes from. */
export type PackageKind = "npm" | "pypi";

/** A package as a command line names it. */
export interface PackageSpec {
  readonly kind: PackageKind;
  /** As the package manager gets it: a name with a version, a file, a repository. */
  readonly spec: string;
}

interface Runner {
  readonly kind: PackageKind;
  /** The words that come before the package. */
  readonly words: readonly string[];
}

/** Programs that fetch a package and run it. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  npx: { kind: "npm", words: [] },
  bunx: { kind: "npm", words: [] },
  pnpx: { kind: "npm", words: [] },
  pnpm: { kind: "npm", words: ["dlx"] },
  yarn: { kind: "npm", words: ["dlx"] },
  npm: { kind: "npm", words: ["exec", "x"] },
  uvx: { kind: "pypi", words: [] },
  uv: { kind: "pypi", words: ["tool", "run"] },
};
/** Options of these programs that take a value. */
const WITH_VALUE = new Set(["-p", "--package", "--from", "--python", "--with", "-c", "--registry"]);
const SHELL_WORDS = new Set(["cmd", "cmd.exe", "/c"]);

/** The package that a command line runs; undefined if it runs none. */
export function packageSpecIn(commandLine: readonly string[]): PackageSpec | undefined {
  const line = commandLine.filter(
    (word, index) => index > 1 || !SHELL_WORDS.has(word.toLowerCase()),
  );
  const [program = "", ...rest] = line;
  const name = basename(program).replace(/\.(cmd|exe)$/i, "");
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (runner === undefined) return undefined;
  const { kind, words } = runner;
  let args = rest;
  for (const word of words) if (args[0] === word) args = args.slice(1);
  if (words.length > 0 && args.length === rest.length) return undefined;
  const spec = specIn(args);
  return spec === undefined ? undefined : { kind, spec };
}

/** Whether the package is a file, a URL or a repository instead of one with a name. */
export function isLocation({ spec }: PackageSpec): boolean {
  return /^[./~]|^[a-z+]+:|\.tgz$/i.test(spec);
}

function specIn(args: readonly string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    const inline = /^(?:--package|-p|--from)=(.+)$/.exec(word)?.[1];
    if (inline !== undefined) return inline;
    if (word === "--package" || word === "-p" || word === "--from") return args[index + 1];
    if (word.startsWith("-") || WITH_VALUE.has(args[index - 1] ?? "")) continue;
    return word;
  }
  return undefined;
}
