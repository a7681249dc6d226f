import type { Command, Option } from "../core/command.ts";

/** The option that a word such as `--config` or `-e` names. */
export function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(
    ({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
}

/** Splits `--option=value`. */
export function splitAtEquals(
  word: string,
): { readonly option: string; readonly value: string } | undefined {
  const found = /^(--[\w-]+)=([^]*)$/.exec(word);
  const [, option, value] = found ?? [];
  return option === undefined || value === undefined ? undefined : { option, value };
}

/**
 * The words without a separate `=`: bash splits `--option=value` at it and completes only the value.
 */
export function withoutLoneEquals(words: readonly string[]): readonly string[] {
  const ended = words.at(-1) === "=" ? [...words, ""] : words;
  return ended.filter((word, index) => word !== "=" || !ended[index - 1]?.startsWith("--"));
}

/** The arguments of a command line, without options and their values. */
export function argumentsAmong(command: Command, given: readonly string[]): readonly string[] {
  return given.filter((word, index) => {
    const takesValue = findOption(command, given[index - 1] ?? "")?.value !== undefined;
    return !takesValue && !word.startsWith("-");
  });
}

/** The value of an option, as `--option value` or `--option=value`. */
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
