import { isLocation, packageSpecIn } from "../../pins/package-spec.ts";

/** The package of a command line that runs its latest version; undefined if it is pinned or there is none. */
export function unpinnedPackage(words: readonly string[]): string | undefined {
  const found = packageSpecIn(words);
  if (found === undefined || isLocation(found)) return undefined;
  const { spec } = found;
  return /.@v?\d|==\d/.test(spec) ? undefined : spec.replace(/@latest$/, "");
}
