import { foldCase } from "../../text/fold-case.ts";
import { NotRunnable } from "../offer.ts";
import type { ZipEntry } from "./zip-directory.ts";

const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
const MAX_DEPTH = 64;
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const WINDOWS_DEVICE =
  /^(?:con|prn|aux|nul|com[\d\u00b9\u00b2\u00b3]|lpt[\d\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\..*)?$/i;

/**
 * Refuses names that would be written outside of the folder of the bundle, and names that mean the
 * same file on some system: the second would replace the first one after it was checked.
 */
export function checkNames(entries: readonly Pick<ZipEntry, "name" | "isFolder">[]): void {
  const folders = new Map<string, string>();
  const files = new Set<string>();
  const named = new Set<string>();
  for (const { name, isFolder } of entries) {
    const path = isFolder ? name.slice(0, -1) : name;
    const segments = checkedSegments(name, path);
    const key = segments.map(folded).join("/");
    if (named.has(key)) throw new NotRunnable(`it contains '${name}' more than once`);
    named.add(key);
    if (!isFolder) files.add(key);
    const parents = isFolder ? segments : segments.slice(0, -1);
    for (let depth = 1; depth <= parents.length; depth += 1) {
      const spelled = parents.slice(0, depth).join("/");
      const known = folders.get(spelled.split("/").map(folded).join("/"));
      if (known !== undefined && known !== spelled)
        throw new NotRunnable(`'${known}' and '${spelled}' differ only in case`);
      folders.set(spelled.split("/").map(folded).join("/"), spelled);
    }
  }
  for (const key of files)
    if (folders.has(key)) throw new NotRunnable(`'${key}' is both a file and a folder`);
}

function checkedSegments(name: string, path: string): readonly string[] {
  const refuse = (problem: string): NotRunnable => new NotRunnable(`the name '${name}' ${problem}`);
  if (CONTROL.test(path)) throw refuse("contains control characters");
  if (path.includes("\\")) throw refuse("contains a backslash");
  if (path.startsWith("/")) throw refuse("is an absolute path");
  // A drive such as C:, or a stream of a file on Windows.
  if (path.includes(":")) throw refuse("contains a colon");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refuse("is too long");
  const segments = path.split("/");
  if (segments.length > MAX_DEPTH) throw refuse("is too deep");
  for (const segment of segments) {
    // Windows removes dots and spaces at the end: `.. ` would be `..`.
    if (folded(segment) === "") throw refuse("leads out of the bundle or is not plain");
    if (/[. ]$/.test(segment)) throw refuse("ends with a dot or a space, which Windows removes");
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) throw refuse("is too long");
    if (WINDOWS_DEVICE.test(segment)) throw refuse("is a device on Windows");
  }
  return segments;
}

/** As file systems compare names: without case, in one form of Unicode, without a dot or space at the end. */
function folded(segment: string): string {
  return foldCase(segment.normalize("NFKC")).replace(/[. ]+$/, "");
}
