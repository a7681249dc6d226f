import type { View } from "./entry.ts";

/** The configuration and the view that a command line of the workbench serves. */
export interface ServedView extends View {
  readonly config: string | undefined;
  readonly toolboxes: readonly string[];
}

/** Reads the command line of an entry that starts the workbench. */
export function servedView(words: readonly string[]): ServedView {
  const values = (option: string): readonly string[] =>
    words.flatMap((word, index) => {
      if (word.startsWith(`--${option}=`)) return [word.slice(option.length + 3)];
      const next = words[index + 1];
      return word === `--${option}` && next !== undefined ? [next] : [];
    });
  return {
    config: values("config").at(-1),
    toolboxes: values("toolbox"),
    server: values("server").at(-1),
  };
}
