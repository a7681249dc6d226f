import { type JsonObject, isObject } from "../wire/messages.ts";

/** Skills (SEP-2640): instructions for models, with files, as resources of a server. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/**
 * Whether a URI may lead to a skill. A lenient server reads a URI as browsers do: without control
 * characters and spaces, in any case.
 */
export function isSkillUri(uri: unknown): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  return typeof uri === "string" && /^skill:/i.test(uri.replaceAll(/[\0- ]/g, ""));
}

/** The settings with which a server declares that it has skills; undefined if it does not. */
export function skillSettings({ extensions }: JsonObject): JsonObject | undefined {
  const settings = isObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined;
  return isObject(settings) ? settings : undefined;
}
