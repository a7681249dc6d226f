import type { ToolIdentifier } from "../calls/identifier.ts";

/**
 * Native tool names: `{toolbox}__{server}__{tool}`.
 *
 * Toolbox and server names never contain the separator, so a name splits at its first two occurrences,
 * whatever the name of the tool.
 */

const SEPARATOR = "__";
const MAX_LENGTH = 128;
const LEGAL = /^[A-Za-z0-9_.-]+$/;
const ILLEGAL_CHARACTER = /[^A-Za-z0-9_.-]/g;
const HASH_DIGITS = 20;
/** The ending of a name that was made legal; an original name with this ending is hashed as well. */
const MADE_LEGAL = new RegExp(`\\.h[0-9a-f]{${HASH_DIGITS}}$`);

/**
 * The name under which a tool is listed. A name that clients would reject (over 128 characters, or
 * characters outside `[A-Za-z0-9_.-]`), or that would split in the wrong place, is shortened and
 * cleaned, and ends in a hash of the identifier: stable, and different for different tools. Such a name
 * cannot be parsed.
 */
export function formatToolName(tool: ToolIdentifier): string {
  const name = `${tool.toolbox}${SEPARATOR}${tool.server}${SEPARATOR}${tool.name}`;
  const legal = name.length <= MAX_LENGTH && LEGAL.test(name) && !MADE_LEGAL.test(name);
  if (legal && splitsCorrectly(name, tool)) return name;
  // Few names need it, so the module is loaded on demand.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const whole = JSON.stringify([tool.toolbox, tool.server, tool.name]);
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, HASH_DIGITS);
  const kept = name.replace(ILLEGAL_CHARACTER, "_").slice(0, MAX_LENGTH - HASH_DIGITS - 2);
  return `${kept}.h${hash}`;
}

function splitsCorrectly(name: string, { toolbox, server }: ToolIdentifier): boolean {
  const parsed = parseToolName(name);
  return parsed?.toolbox === toolbox && parsed.server === server;
}

/** The identifier in a native name, or null if the name does not have this form. */
export function parseToolName(nativeName: string): ToolIdentifier | null {
  const first = nativeName.indexOf(SEPARATOR);
  if (first <= 0) return null;
  const second = nativeName.indexOf(SEPARATOR, first + SEPARATOR.length);
  if (second < 0) return null;
  const toolbox = nativeName.slice(0, first);
  const server = nativeName.slice(first + SEPARATOR.length, second);
  const name = nativeName.slice(second + SEPARATOR.length);
  return server === "" || name === "" ? null : { toolbox, server, name };
}
