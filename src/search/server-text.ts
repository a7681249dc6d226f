/** What a server says about itself, which describes its tools if they say nothing. */

import { type JsonObject, asText } from "../text/json.ts";
import { nameKey } from "./text.ts";

const MAX_TITLE_LENGTH = 256;

/** What is known of a server from its answer to `initialize`. */
export interface ServerTexts {
  readonly serverInfo: JsonObject;
  readonly instructions?: string | undefined;
}

/**
 * Its description and instructions; its title if it has neither. Instructions are mostly about the use of the
 * server, so its description comes first.
 */
export function aboutServer(name: string, { serverInfo, instructions = "" }: ServerTexts): string {
  const texts = [asText(serverInfo["description"]), instructions].filter(
    (text) => text.trim() !== "",
  );
  if (texts.length > 0) return texts.join("\n\n");
  const title = asText(serverInfo["title"]).slice(0, MAX_TITLE_LENGTH);
  return nameKey(title) === nameKey(name) ? "" : title;
}
