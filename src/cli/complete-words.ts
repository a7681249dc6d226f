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
