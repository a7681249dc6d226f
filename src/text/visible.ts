/**
 * Text that somebody decides by. Whatever a terminal would obey, or would show as nothing, is written
 * out as an escape: control and format characters, marks that turn the reading direction, combining
 * marks, spaces other than the ordinary one, line breaks.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** Text of several lines in which nothing moves the cursor back; all else stays as it is. */
export function withVisibleControls(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Whether the text has anything that `visible` would write out, or a space. */
export function hasUnseen(text: string): boolean {
  return text.includes(" ") || text.search(UNSEEN) >= 0;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

// The blank Braille pattern is a symbol by its category, and blank.
const UNSEEN = /[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Control characters but for tabs and line breaks. */
const CONTROLS = /(?![\t\n]|\r\n)\p{Cc}/gu;

/** Letters that may look like others, such as a Cyrillic o in the name of a package. */
export function lettersOutsideAscii(text: string): readonly string[] {
  return [...new Set(text.match(/(?!\p{ASCII})\p{L}/gu))];
}
