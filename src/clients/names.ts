/*
 * Names for toolboxes and servers that were called anything at all elsewhere. Ours begin and end
 * with a letter or digit, may contain `-`, `.` and `_` between, but not `__`, which separates the
 * parts of a registered tool's name.
 */

const MAX_NAME_LENGTH = 48;
const LEGAL = /^(?!.*__)[A-Za-z\d](?:[A-Za-z\d._-]*[A-Za-z\d])?$/;
/** Devices on Windows and what every JavaScript object has: no names for files and keys. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;
const INHERITED = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype"]);

/** Whether a toolbox or server may have this name. */
export function isLegalName(name: string): boolean {
  return LEGAL.test(name) && !RESERVED.test(name) && !INHERITED.has(name);
}

/** The nearest legal name; the fallback when nothing of the text can stay. */
export function legalName(text: string, fallback: string): string {
  const name = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z\d._-]+/g, "-")
    .replaceAll(/_{2,}/g, "_")
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/^[^A-Za-z\d]+|[^A-Za-z\d]+$/g, "");
  if (name === "") return fallback;
  return isLegalName(name) ? name : `server-${name}`;
}

/** The first of the wishes that is not taken, else the last one with a number. Takes it. */
export function claimName(wishes: readonly string[], taken: Set<string>): string {
  const last = wishes.at(-1) ?? "server";
  let name = wishes.find((wish) => !taken.has(wish.toLowerCase()));
  for (let count = 2; name === undefined; count += 1) {
    if (!taken.has(`${last}-${count}`.toLowerCase())) name = `${last}-${count}`;
  }
  taken.add(name.toLowerCase());
  return name;
}
