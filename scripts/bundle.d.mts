/** Bundles the program; returns the source files in each output, by its path in `dist`. */
export function bundleProgram(options: {
  readonly write: boolean;
}): Promise<Map<string, readonly string[]>>;

/** Bundles one file; adds what it imports with `import()` to `chunks`, as paths by name. */
export function bundle(
  entry: string,
  outfile: string,
  options: {
    readonly chunks: Map<string, string>;
    readonly inChunk: boolean;
    readonly write: boolean;
  },
): Promise<readonly string[]>;

/** Bundles the dashboard into `dist/ui`. */
export function bundleDashboard(): Promise<void>;
