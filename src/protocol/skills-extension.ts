import { type JsonObject, isObject } from "../wire/messages.ts";

/** Skills (SEP-2640): instructions for models, with files, as resources of a server. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** The settings with which a server declares that it has skills; undefined if it does not. */
export function skillSettings({ extensions }: JsonObject): JsonObject | undefined {
  const settings = isObject(extensions) ? extensions[SKILLS_EXTENSION] : undefined;
  return isObject(settings) ? settings : undefined;
}
