/** Bundles the program; returns the source files in each output, by its path in `dist`. */
export function bundleProgram(options: {
  readonly write: boolean;
}): Promise<Map<string, readonly string[]>>;
