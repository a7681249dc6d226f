import type { Command, Option } from "./command.ts";

/** The option that a word such as `--config` or `-e` names. */
export function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(
    ({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
}

/** `--option=value` in its two parts. */
export function splitAtEquals(
  word: string,
): { readonly option: string; readonly value: string } | undefined {
  const found = /^(--[\w-]+)=([^]*)$/.exec(word);
  const [, option, value] = found ?? [];
  return option === undefined || value === undefined ? undefined : { option, value };
}

/**
 * The words as if they had been written without `=`, which bash makes a word of its own: what is
 * completed there is the value alone.
 */
export function withoutLoneEquals(words: readonly string[]): readonly string[] {
  const ended = words.at(-1) === "=" ? [...words, ""] : words;
  return ended.filter((word, index) => word !== "=" || !ended[index - 1]?.startsWith("--"));
}

/** The arguments among the words given to a command, without its options and their values. */
export function argumentsAmong(command: Command, given: readonly string[]): readonly string[] {
  return given.filter((word, index) => {
    const takesValue = findOption(command, given[index - 1] ?? "")?.value !== undefined;
    return !takesValue && !word.startsWith("-");
  });
}

/** The value that an option was given, in either of its spellings. */
export function valueOf(
  command: Command,
  given: readonly string[],
  name: string,
): string | undefined {
  for (const [index, word] of given.entries()) {
    if (findOption(command, word)?.name === name) return given[index + 1];
    const inline = splitAtEquals(word);
    if (inline?.option === `--${name}`) return inline.value;
  }
  return undefined;
}
