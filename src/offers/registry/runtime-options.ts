import { NotRunnable, type Template, type WordGroup } from "../offer.ts";
import { checkMount, isMount } from "./mounts.ts";

/**
 * The options that a publisher may give to a launcher. Any other is refused: many of them change which
 * package runs (`npx --call`, `uvx --index-url`) or open the machine to a container (`--privileged`).
 * The value tells whether a value follows.
 */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  npx: { "-y": false, "--yes": false, "-q": false, "--quiet": false },
  uvx: { "-q": false, "--quiet": false, "-p": true, "--python": true },
  dnx: { "-y": false, "--yes": false, "--prerelease": false, "--allow-roll-forward": false },
  docker: {
    "-i": false,
    "--interactive": false,
    "--rm": false,
    "--init": false,
    "--read-only": false,
    "-e": true,
    "--env": true,
    "-v": true,
    "--volume": true,
    "--mount": true,
    "--network": true,
    "--net": true,
    "-p": true,
    "--publish": true,
    "-w": true,
    "--workdir": true,
    "-u": true,
    "--user": true,
    "--platform": true,
    "--pull": true,
    "-m": true,
    "--memory": true,
    "--cpus": true,
  },
};

/** What the workbench gives to the launcher anyway. */
const REPEATED: Readonly<Record<string, ReadonlySet<string>>> = {
  npx: new Set(["-y", "--yes"]),
  dnx: new Set(["-y", "--yes"]),
  docker: new Set(["run", "-i", "--interactive", "--rm"]),
};

/** Options of `uvx` that name the interpreter. */
const INTERPRETERS = new Set(["-p", "--python"]);

/**
 * The options without those that are given anyway. Throws NotRunnable for one that is not allowed.
 * `onChosen` gets the inputs for which only the user may give a value.
 */
export function checkedOptions(
  launcher: string,
  groups: readonly WordGroup[],
  onChosen: (input: string) => void,
): readonly WordGroup[] {
  const name = launcher === "podman" ? "docker" : launcher;
  const known = OPTIONS[name] ?? {};
  const kept = groups.filter(({ words: [word, ...rest] }) => {
    const [text] = word?.length === 1 ? word : [];
    return !(rest.length === 0 && typeof text === "string" && REPEATED[name]?.has(text));
  });
  const checkValue = (option: string, value: Template): void => {
    if (launcher === "uvx" && INTERPRETERS.has(option)) checkInterpreter(value);
    if (name === "docker" && isMount(option)) checkMount(option, value, onChosen);
  };
  let option: string | undefined;
  for (const word of kept.flatMap(({ words }) => words)) {
    if (option !== undefined) {
      checkValue(option, word);
      option = undefined;
      continue;
    }
    const found = optionIn(word);
    const takesValue = Object.hasOwn(known, found.name) ? known[found.name] : undefined;
    if (takesValue === undefined || (found.value !== undefined && !takesValue))
      throw new NotRunnable(
        `its option '${found.name}' for ${launcher} is not allowed, because it may change what runs`,
      );
    if (found.value !== undefined) checkValue(found.name, found.value);
    else if (takesValue) option = found.name;
  }
  if (option !== undefined) throw new NotRunnable(`the option ${option} lacks its value`);
  return kept;
}

/** The name of an option, and its value if that is in the same word. An input cannot be an option. */
function optionIn([first = "", ...rest]: Template): {
  readonly name: string;
  readonly value?: Template;
} {
  if (typeof first !== "string") return { name: `<${first.input}>` };
  const at = first.indexOf("=");
  if (at > 0) return { name: first.slice(0, at), value: [first.slice(at + 1), ...rest] };
  return { name: rest.length > 0 ? `${first}…` : first };
}

/** A version of Python, not a program of the publisher's choice. */
function checkInterpreter(value: Template): void {
  if (value.some((part) => typeof part !== "string" || !/^[\w.+@-]*$/.test(part)))
    throw new NotRunnable("it chooses the program that runs Python");
}
