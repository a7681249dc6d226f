import type { ToolIdentifier } from "../calls/identifier.ts";

/**
 * Native tool names: `{toolbox}__{server}__{tool}`.
 *
 * Toolbox and server names never contain the separator, so the first two occurrences are the
 * borders, whatever the tool is called.
 */

const SEPARATOR = "__";
const MAX_LENGTH = 128;
const LEGAL = /^[A-Za-z0-9_.-]+$/;
const ILLEGAL_CHARACTER = /[^A-Za-z0-9_.-]/g;
const HASH_DIGITS = 20;
/** How a name ends that was made legal; a real name that ends so is treated the same way. */
const MADE_LEGAL = new RegExp(`\\.h[0-9a-f]{${HASH_DIGITS}}$`);

/**
 * The name under which a tool is listed. A name that clients would refuse (over 128 characters, or
 * characters outside `[A-Za-z0-9_.-]`), or that would come apart at the wrong place, is cut and
 * cleaned and ends in a hash of the identifier: always the same, and different for different tools.
 * Such a name cannot be parsed back.
 */
export function formatToolName(tool: ToolIdentifier): string {
  const name = `${tool.toolbox}${SEPARATOR}${tool.server}${SEPARATOR}${tool.name}`;
  const legal = name.length <= MAX_LENGTH && LEGAL.test(name) && !MADE_LEGAL.test(name);
  if (legal && comesApart(name, tool)) return name;
  // Few names need it, so the module is not loaded with the program.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const whole = JSON.stringify([tool.toolbox, tool.server, tool.name]);
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, HASH_DIGITS);
  const kept = name.replace(ILLEGAL_CHARACTER, "_").slice(0, MAX_LENGTH - HASH_DIGITS - 2);
  return `${kept}.h${hash}`;
}

function comesApart(name: string, { toolbox, server }: ToolIdentifier): boolean {
  const parsed = parseToolName(name);
  return parsed?.toolbox === toolbox && parsed.server === server;
}

/** The identifier behind a native name, or null if the name does not have the form. */
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
