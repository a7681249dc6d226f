/*
 * Names for toolboxes and servers whose names in clients follow no rules. Ours begin and end
 * with a letter or digit, may contain `-`, `.` and `_` between, but not `__`, which separates the
 * parts of a registered tool's name.
 */

const MAX_NAME_LENGTH = 48;
const LEGAL = /^(?!.*__)[A-Za-z\d](?:[A-Za-z\d._-]*[A-Za-z\d])?$/;
/** Windows devices and members of every JavaScript object cannot be used as names. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;
const INHERITED = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype"]);

/** Whether a toolbox or server may have this name. */
export function isLegalName(name: string): boolean {
  return LEGAL.test(name) && !RESERVED.test(name) && !INHERITED.has(name);
}

/** The closest legal name; the fallback if nothing of the text is left. */
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

/** Claims the first candidate that is free, else the last one with a number added. */
export function claimName(candidates: readonly string[], taken: Set<string>): string {
  const last = candidates.at(-1) ?? "server";
  let name = candidates.find((candidate) => !taken.has(candidate.toLowerCase()));
  for (let count = 2; name === undefined; count += 1) {
    if (!taken.has(`${last}-${count}`.toLowerCase())) name = `${last}-${count}`;
  }
  taken.add(name.toLowerCase());
  return name;
}
