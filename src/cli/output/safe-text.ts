/**
 * Texts of servers on their way to a terminal. A terminal obeys control characters: it can be made
 * to hide text, to rename its window or to answer with what looks like typing. Everything that is
 * not plain text is therefore shown as an escape instead.
 */

// Control characters but tab and line break, and the marks that turn the direction of reading.
const DANGEROUS =
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text that may have several lines. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(DANGEROUS, escaped);
}

/** A text that must stay on one line, such as a name or a description. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, " ").trim());
}

/** JSON text that means the same and contains nothing that a terminal would obey. */
export function safeJson(json: string): string {
  // Outside of strings only white space can be a control character.
  return json.replace(/\r/g, " ").replace(DANGEROUS, escaped);
}
