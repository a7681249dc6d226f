/** What a tool says about itself, if it says anything. */

import { asText } from "../text/json.ts";
import type { ToolDefinition } from "./types.ts";

/** Texts that generators of servers and lists write where there is no description. */
const PLACEHOLDER =
  /^[^\p{L}\p{N}]*(?:(?:tool )?description(?: is)? (?:not|un)[ -]?(?:available|accessible|provided|found)\b.{0,60}|no (?:tool )?(?:description|documentation)(?: (?:is )?(?:available|provided|found|given))?|(?:missing|undocumented|description)|n\/?a|none|null|undefined|todo|tbd)[^\p{L}\p{N}]*$/iu;
const MAX_PLACEHOLDER_LENGTH = 120;

export function descriptionOf({ description }: ToolDefinition): string {
  const text = asText(description);
  return text.length <= MAX_PLACEHOLDER_LENGTH && PLACEHOLDER.test(text) ? "" : text;
}
