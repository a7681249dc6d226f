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

const optionsOf = (launcher: string): Readonly<Record<string, boolean>> =>
  OPTIONS[launcher === "podman" ? "docker" : launcher] ?? {};

/** Whether a launcher has an option that takes no value. */
export function isFlagOf(launcher: string, option: string): boolean {
  const known = optionsOf(launcher);
  return Object.hasOwn(known, option) && known[option] === false;
}

/** What the workbench gives to the launcher anyway. */
const REPEATED: Readonly<Record<string, ReadonlySet<string>>> = {
  npx: new Set(["-y", "--yes"]),
  dnx: new Set(["-y", "--yes"]),
  docker: new Set(["run", "-i", "--interactive", "--rm"]),
};

/** Options of `uvx` that name the interpreter. */
const INTERPRETERS = new Set(["-p", "--python"]);

/**
 * The options without those that are given anyway, each with its value in one group. Throws NotRunnable
 * for one that is not allowed. `onChosen` gets the inputs for which only the user may give a value.
 */
export function checkedOptions(
  launcher: string,
  groups: readonly WordGroup[],
  onChosen: (input: string) => void,
): readonly WordGroup[] {
  const name = launcher === "podman" ? "docker" : launcher;
  const known = optionsOf(launcher);
  const kept = joinedOptions(launcher, groups).filter(({ words: [word, ...rest] }) => {
    const [text] = word?.length === 1 ? word : [];
    return !(rest.length === 0 && typeof text === "string" && REPEATED[name]?.has(text));
  });
  const checkValue = (option: string, value: Template): void => {
    if (launcher === "uvx" && INTERPRETERS.has(option)) checkInterpreter(value);
    if (name === "docker" && isMount(option)) checkMount(option, value, onChosen);
  };
  for (const { words } of kept) {
    let option: string | undefined;
    for (const word of words) {
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
  }
  return kept;
}

/**
 * Puts an option and its value into one group. If only the value were left out, because its input is
 * empty, the option would take the next word, and something else would run than was checked.
 */
export function joinedOptions(
  launcher: string,
  groups: readonly WordGroup[],
): readonly WordGroup[] {
  const known = optionsOf(launcher);
  const joined: WordGroup[] = [];
  let open: WordGroup | undefined;
  let areOver = false;
  for (const [index, group] of groups.entries()) {
    if (open !== undefined) {
      if ((open.flag ?? group.flag) !== undefined)
        throw new NotRunnable(`an option for ${launcher} lacks its value`);
      joined.push({ words: [...open.words, ...group.words] });
      open = undefined;
      continue;
    }
    const [word = [], ...rest] = group.words;
    const { name, value } = optionIn(word);
    const isCommand = index === 0 && name === "run";
    areOver ||= !name.startsWith("-") && !isCommand;
    const takesNext = !areOver && rest.length === 0 && value === undefined;
    if (takesNext && Object.hasOwn(known, name) && known[name] === true) open = group;
    else joined.push(group);
  }
  return open === undefined ? joined : [...joined, open];
}

/** The options in front of the first other word, with their values, and the words from there. */
export function splitOptions(
  launcher: string,
  words: readonly Template[],
): { readonly options: readonly Template[]; readonly rest: readonly Template[] } {
  const known = optionsOf(launcher);
  let end = 0;
  for (let word = words[0]; word !== undefined; word = words[end]) {
    const { name, value } = optionIn(word);
    if (!name.startsWith("-")) break;
    const takesValue = value === undefined && Object.hasOwn(known, name) && known[name] === true;
    end += takesValue ? 2 : 1;
  }
  return { options: words.slice(0, end), rest: words.slice(end) };
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
