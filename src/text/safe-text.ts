/**
 * Text from servers on its way to a terminal. A terminal obeys control characters: it can be made
 * to hide text, rename its window or send input that looks typed. Everything that is not plain text
 * is therefore shown as an escape.
 */

// Control characters except tab and line break, marks that change the text direction, and characters without a picture,
// such as tags (U+E0000 and above), in which whole sentences can be hidden. Joiners are kept: emoji and scripts need them.
const DANGEROUS =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The escape of a character in JSON; of one above U+FFFF, two. */
export const unicodeEscape = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Makes text safe that may have several lines. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(DANGEROUS, unicodeEscape);
}

/** Makes text safe that must stay on one line, such as a name or a description. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, " ").trim());
}

/** Makes JSON text safe for a terminal or a log without changing its meaning. */
export function safeJson(json: string): string {
  // Outside of strings only white space can be a control character.
  return json.replace(/\r/g, " ").replace(DANGEROUS, unicodeEscape);
}
