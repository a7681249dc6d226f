import { programName } from "../text/program-name.ts";

/** A program that starts a server, and downloads it first if it has to. */
export interface Launcher {
  /** What users call it, for messages. */
  readonly name: string;
  readonly downloads: "package" | "image";
}

interface KnownLauncher extends Pick<Launcher, "downloads"> {
  /** The subcommands that start something; absent if the program does nothing else. */
  readonly subcommands?: readonly string[];
}

const PACKAGES = "package";
const IMAGES = { downloads: "image", subcommands: ["run", "container run"] } as const;

const LAUNCHERS: Readonly<Record<string, KnownLauncher>> = {
  npx: { downloads: PACKAGES },
  bunx: { downloads: PACKAGES },
  pnpx: { downloads: PACKAGES },
  uvx: { downloads: PACKAGES },
  npm: { downloads: PACKAGES, subcommands: ["exec", "x"] },
  pnpm: { downloads: PACKAGES, subcommands: ["dlx"] },
  yarn: { downloads: PACKAGES, subcommands: ["dlx"] },
  bun: { downloads: PACKAGES, subcommands: ["x"] },
  uv: { downloads: PACKAGES, subcommands: ["run", "tool run"] },
  pipx: { downloads: PACKAGES, subcommands: ["run"] },
  docker: IMAGES,
  podman: IMAGES,
};

/** Programs whose next words are the command they run. */
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
const MAX_WRAPPERS = 4;

/** The launcher in a command line, also behind `cmd /c`, `sh -c` and `env`; undefined if there is none. */
export function launcherIn(words: readonly string[]): Launcher | undefined {
  let line = words;
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const inner = insideWrapper(line);
    if (inner === undefined) break;
    line = inner;
  }
  const [command = "", ...args] = line;
  const name = programName(command);
  const known = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (known === undefined) return undefined;
  const { subcommands, downloads } = known;
  if (subcommands === undefined) return { name, downloads };
  const plain = args.filter((word) => !word.startsWith("-")).slice(0, 2);
  const found = subcommands.find((sub) => plain.join(" ").concat(" ").startsWith(`${sub} `));
  return found === undefined ? undefined : { name: `${name} ${found}`, downloads };
}

/**
 * Whether a running process is a package manager, as opposed to the server that it starts. Package
 * managers rewrite their command lines, so a subcommand is not required.
 */
export function isPackageManager(words: readonly string[]): boolean {
  if (launcherIn(words) !== undefined) return true;
  // A process that sets its title shows it as one word.
  const [command = "", ...args] = words.length === 1 ? (words[0]?.split(" ") ?? []) : words;
  const name = programName(command);
  if (name === "node" || SHELLS.has(name)) {
    const [script = ""] = args;
    return (
      script !== "" &&
      !script.startsWith("-") &&
      isPackageManager([scriptName(script), ...args.slice(1)])
    );
  }
  // `bun` also runs servers.
  if (name === "bun") return ["add", "install", "x"].includes(args[0] ?? "");
  return LAUNCHERS[name]?.downloads === PACKAGES && Object.hasOwn(LAUNCHERS, name);
}

/** The command that a wrapper runs; undefined if the command is not a wrapper. */
function insideWrapper([command = "", ...args]: readonly string[]): readonly string[] | undefined {
  const name = programName(command);
  if (name === "cmd") {
    const at = args.findIndex((word) => /^\/[ck]$/i.test(word));
    return at < 0 ? undefined : wordsOf(args.slice(at + 1));
  }
  if (name === "env") return wordsOf(args.filter((word) => !word.startsWith("-")));
  if (!SHELLS.has(name)) return undefined;
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = at < 0 ? undefined : args[at + 1];
  // What is run last is what stays.
  return script === undefined ? undefined : wordsOf([script.split(/&&|;/).at(-1) ?? ""]);
}

/** Splits a command that is given as one word, and drops variables and `exec` before it. */
function wordsOf(words: readonly string[]): string[] {
  const [first = "", ...rest] = words;
  const all = [...first.trim().split(/\s+/), ...rest];
  const begin = all.findIndex((word) => word !== "exec" && !/^\w+=/.test(word));
  return begin < 0 ? [] : all.slice(begin);
}

/** `C:\Program Files\nodejs\npx.cmd` is `npx`. */
/** `/usr/lib/node_modules/npm/bin/npx-cli.js` is `npx`. */
function scriptName(path: string): string {
  return programName(path).replace(/(-cli)?\.[cm]?js$/, "");
}

const MISSING_IN_NPX_FOLDER =
  /Cannot find (?:module|package) '([^']*[\\/]_npx[\\/][0-9a-f]{16})[\\/]/;

/**
 * The folder in the cache of npx whose package is incomplete, according to the output of a server
 * that did not start. npx does not repair it.
 */
export function incompletePackageIn(stderr: readonly string[]): string | undefined {
  for (const line of stderr) {
    const [, folder] = MISSING_IN_NPX_FOLDER.exec(line) ?? [];
    if (folder !== undefined) return folder;
  }
  return undefined;
}

const PULL_BEGINS = /^Unable to find image |: Pulling from |^Trying to pull /;
const PULL_ENDS = /^Status: |^Writing manifest to image destination/;

/** Whether the output of `docker run` or `podman run` says that an image is being downloaded. */
export function isPullingImage(stderr: readonly string[]): boolean {
  const last = stderr.findLast((line) => PULL_BEGINS.test(line) || PULL_ENDS.test(line));
  return last !== undefined && PULL_BEGINS.test(last);
}
