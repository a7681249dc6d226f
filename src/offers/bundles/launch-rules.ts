import { packageProgram } from "../registry/package-offer.ts";
import { checkedOptions, joinedOptions, splitOptions } from "../registry/runtime-options.ts";
import { runsItsArguments } from "../names.ts";
import { NotRunnable, type OfferInput, type Template, type WordGroup } from "../offer.ts";
import { markedText, pathInside, shownWord } from "./inside-path.ts";

/**
 * What the programs that are not part of a bundle may run for it: files of the bundle, or a package of
 * an exact version. Options are refused unless they are known to be harmless, because many of them take
 * code (`node -e`) or load it from elsewhere (`--require`).
 */

/** A program to be started for a bundle. */
export interface Launch {
  readonly program: string;
  readonly args: readonly Template[];
  readonly folder: string;
  /** Whether the bundle has a Python module with this name where Python looks for it. */
  readonly hasModule: (name: string) => boolean;
  readonly inputs: readonly OfferInput[];
}

interface Interpreter {
  /** A word before the name of the file. */
  readonly command?: { readonly name: string; readonly isRequired: boolean };
  readonly options?: RegExp;
  /** Options that are followed by a path in the bundle. */
  readonly paths?: ReadonlySet<string>;
  /** Options that are followed by a name of a Python module. */
  readonly modules?: ReadonlySet<string>;
  readonly file?: RegExp;
}

const PYTHON: Interpreter = {
  options: /^-[uBEIsSOqbP]+$/,
  modules: new Set(["-m"]),
};

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  node: {
    options:
      /^--(?:no-warnings|no-deprecation|disable-warning=\w+|enable-source-maps|trace-(?:warnings|deprecation|uncaught)|use-system-ca|max-old-space-size=\d+|max-semi-space-size=\d+|stack-size=\d+|dns-result-order=\w+|experimental-strip-types|experimental-sqlite|no-experimental-[a-z-]+|unhandled-rejections=[a-z-]+)$/,
    paths: new Set(["-r", "--require", "--import", "--env-file", "--env-file-if-exists"]),
  },
  bun: { command: { name: "run", isRequired: false }, file: /[./\\]/ },
  deno: {
    command: { name: "run", isRequired: true },
    options:
      /^(?:-A|-q|--quiet|--no-prompt|--no-remote|--no-npm|--cached-only|--unstable[a-z-]*|--(?:allow|deny)-[a-z]+(?:=.*)?)$/s,
    paths: new Set(["--config", "-c", "--lock", "--env-file"]),
  },
  python: PYTHON,
  python3: PYTHON,
  dotnet: { file: /\.dll$/i },
  java: {
    options:
      /^(?:-X(?:mx|ms|ss)\d+[kmg]?|-jar|-server|-D(?!java\.|javax\.|jdk\.|sun\.)[\w.]+=[^/\\~]*)$/i,
    file: /\.jar$/i,
  },
};

const UV: Interpreter = {
  command: { name: "run", isRequired: true },
  options:
    /^(?:-q|--quiet|--frozen|--locked|--offline|--no-dev|--no-sync|--no-config|--no-progress|--isolated|--exact|--python=[\d.]+)$/,
  paths: new Set(["--directory", "--project", "--env-file", "-s", "--script"]),
  modules: new Set(["-m", "--module"]),
};

/** Programs that fetch a package and run it, and the kind of the package. */
const PACKAGES: Readonly<Record<string, string>> = {
  npx: "npm",
  bunx: "npm",
  uvx: "pypi",
  dnx: "nuget",
  docker: "oci",
  podman: "oci",
};

/** The words as they are left out together if a setting of the user is empty. */
export function launchGroups(program: string, groups: readonly WordGroup[]): readonly WordGroup[] {
  return Object.hasOwn(PACKAGES, program) ? joinedOptions(program, groups) : groups;
}

/** Throws NotRunnable if something could run that is neither in the bundle nor of an exact version. */
export function checkLaunch(launch: Launch): void {
  const { program } = launch;
  if (Object.hasOwn(PACKAGES, program)) checkPackage(launch);
  else if (program === "uv") checkUv(launch);
  else checkInterpreter(launch, INTERPRETERS[program] ?? {});
}

/** What is left of the words when the options are over. */
function checkInterpreter(launch: Launch, rules: Interpreter): void {
  const rest = targetOf(launch, rules);
  if (rest === undefined) return;
  const [target] = rest;
  const path = pathInside(markedText(target ?? []), launch.folder);
  if (target === undefined)
    throw new NotRunnable(`it does not say which file ${launch.program} runs`);
  // `npm:x` and `https://…` are not files.
  const isFile = path !== undefined && !path.includes(":") && (rules.file?.test(path) ?? true);
  if (!isFile) throw outside(launch, target);
}

/** The words from the one that names what runs; undefined if that was a module of the bundle. */
function targetOf(launch: Launch, rules: Interpreter): readonly Template[] | undefined {
  const { program, folder, hasModule } = launch;
  let words = launch.args;
  const { command } = rules;
  if (command !== undefined) {
    const isThere = words[0] !== undefined && markedText(words[0]) === command.name;
    if (!isThere && command.isRequired)
      throw new NotRunnable(`it runs ${program} without '${command.name}'`);
    if (isThere) words = words.slice(1);
  }
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? [];
    const text = markedText(word);
    if (!text.startsWith("-")) return words.slice(at);
    const [, name = text, joined] = /^(--?[\w-]+)=(.*)$/s.exec(text) ?? [];
    const next = (): string => joined ?? markedText(words[(at += 1)] ?? []);
    if (rules.modules?.has(name)) {
      const module = next();
      if (!hasModule(module))
        throw new NotRunnable(`it runs the module '${module}', which is not in the bundle`);
      return undefined;
    }
    if (rules.paths?.has(name)) {
      const value = next();
      // A bare name would be looked for in folders above the bundle, too.
      const isPath = /^[./\\]|^[A-Za-z]:/.test(value) && pathInside(value, folder) !== undefined;
      if (!isPath)
        throw new NotRunnable(
          `its option '${name}' for ${program} names '${value}', which is not a path in the bundle`,
        );
    } else if (!rules.options?.test(text))
      throw new NotRunnable(
        `its option '${shownWord(word)}' for ${program} is not allowed, because it may run code that is not in the bundle`,
      );
  }
  return [];
}

/** `uv run`: a file or a module of the bundle, Python, or a program of its own project. */
function checkUv(launch: Launch): void {
  const rest = targetOf({ ...launch, args: commandFirst(launch.args, UV) }, UV);
  const [target, ...args] = rest ?? [];
  if (rest === undefined) return;
  if (target === undefined) throw new NotRunnable("it does not say what uv runs");
  const text = markedText(target);
  if (/^python[\d.]*$/.test(text)) return checkInterpreter({ ...launch, args }, PYTHON);
  const path = pathInside(text, launch.folder);
  const isProgram = /^[A-Za-z0-9][\w.-]*$/.test(text) && !runsItsArguments(text);
  if (path === undefined || path.includes(":") || (!/[./\\]/.test(text) && !isProgram))
    throw outside(launch, target);
}

/** `--directory x run y` is the same as `run --directory x y`, which is checked. */
function commandFirst(
  words: readonly Template[],
  { command, paths }: Interpreter,
): readonly Template[] {
  let at = 0;
  while (markedText(words[at] ?? []).startsWith("-"))
    at += paths?.has(markedText(words[at] ?? [])) ? 2 : 1;
  const found = words[at];
  if (found === undefined || markedText(found) !== command?.name) return words;
  return [found, ...words.slice(0, at), ...words.slice(at + 1)];
}

/** The package must be one that an entry of a registry could name, too. */
function checkPackage({ program, args, inputs }: Launch): void {
  const isContainer = PACKAGES[program] === "oci";
  const words = isContainer ? args.slice(1) : args;
  if (isContainer && markedText(args[0] ?? []) !== "run")
    throw new NotRunnable(`it runs ${program} without 'run'`);
  const { options, rest } = splitOptions(program, words);
  checkedOptions(
    program,
    options.map((word) => ({ words: [word] })),
    (input) => {
      if (inputs.some(({ name, default: preset }) => name === input && preset !== undefined))
        throw new NotRunnable(`the default of '${input}' chooses a folder for its container`);
    },
  );
  const [named] = rest;
  if (named === undefined) throw new NotRunnable(`it does not say which package ${program} runs`);
  const text = shownWord(named);
  const at = text.lastIndexOf("@");
  const [identifier, version] =
    isContainer || at <= 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const transport = { type: "stdio" };
  const registryType = PACKAGES[program] ?? "";
  try {
    packageProgram({ registryType, identifier, version, transport });
  } catch (error) {
    throw new NotRunnable(
      `it runs the package '${text}' with ${program}: ${(error as Error).message}`,
    );
  }
}

function outside({ program }: Launch, word: Template): NotRunnable {
  return new NotRunnable(`${program} runs '${shownWord(word)}', which is not a file in the bundle`);
}
