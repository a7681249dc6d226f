import { stripVTControlCharacters } from "node:util";

/** Characters that terminals draw two columns wide: East Asian scripts and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/gu;
/** Characters that are drawn over the one before. */
const COMBINING = /\p{Mn}|\p{Me}|\u200d/gu;
// oxlint-disable-next-line no-control-regex -- the printable ASCII characters
const PLAIN = /^[\u0020-\u007e]*$/;

/** The number of columns a text takes in a terminal, without its colour codes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  const shown = stripVTControlCharacters(text).replace(COMBINING, "");
  return [...shown].length + (shown.match(WIDE)?.length ?? 0);
}

/** Shortens a text to some columns; an ellipsis replaces what is missing. */
export function fitWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let fitted = "";
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > columns - 1) break;
    fitted += character;
  }
  return `${fitted.trimEnd()}…`;
}
