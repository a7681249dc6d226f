/** What a tool says about itself, if it says anything. */

import { asText, isObject } from "../text/json.ts";
import { nameKey } from "./text.ts";
import type { ToolDefinition } from "./types.ts";

/** Texts that generators of servers and lists write where there is no description. */
const PLACEHOLDER =
  /^[^\p{L}\p{N}]*(?:(?:tool )?description(?: is)? (?:not|un)[ -]?(?:available|accessible|provided|found)\b.{0,60}|no (?:tool )?(?:description|documentation)(?: (?:is )?(?:available|provided|found|given))?|(?:tool )?(?:description|summary)(?: is)? (?:not set|missing|empty|pending|goes here|here|to be added|coming soon)|no summary(?: (?:is )?(?:available|provided))?|not documented|(?:missing|undocumented|(?:tool )?description)|placeholder|(?:an? )?(?:mcp )?tool|n\/?a|none|null|undefined|(?:todo|tbd|fixme)(?:\s*:.{0,60})?)?[^\p{L}\p{N}]*$/iu;
const MAX_PLACEHOLDER_LENGTH = 120;

export function descriptionOf({ description }: ToolDefinition): string {
  const text = asText(description);
  return text.length <= MAX_PLACEHOLDER_LENGTH && PLACEHOLDER.test(text) ? "" : text;
}

/** A title that says more than the name of the tool; older servers write it as an annotation. */
export function titleOf({ name, title, annotations }: ToolDefinition): string {
  const text = asText(title) || (isObject(annotations) ? asText(annotations["title"]) : "");
  return nameKey(text) === nameKey(asText(name)) ? "" : text;
}
