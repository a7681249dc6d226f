/**
 * Text for a decision of the user. Everything that a terminal would interpret or not show is escaped:
 * control and format characters, marks that change the reading direction, combining marks, line breaks,
 * and all spaces except the ordinary one.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/**
 * Text of several lines in which nothing moves the cursor back; everything else is kept. Undefined if
 * it has more than `max` control characters: that is not text for people, and escaping takes long.
 */
export function withVisibleControls(text: string, max: number): string | undefined {
  let result = "";
  let kept = 0;
  let count = 0;
  for (const { 0: control, index } of text.matchAll(CONTROLS)) {
    if (++count > max) return undefined;
    result += text.slice(kept, index) + escaped(control);
    kept = index + control.length;
  }
  return result + text.slice(kept);
}

/** Whether the text contains anything that `visible` would escape, or a space. */
export function hasUnseen(text: string): boolean {
  return text.includes(" ") || text.search(INVISIBLE) >= 0;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

// The blank Braille pattern is invisible although its category is symbol.
const INVISIBLE = /[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Control characters except tabs and line breaks. */
const CONTROLS = /(?![\t\n]|\r\n)\p{Cc}/gu;

/** Letters that may look like ASCII ones, such as a Cyrillic o in the name of a package. */
export function lettersOutsideAscii(text: string): readonly string[] {
  return [...new Set(text.match(/(?!\p{ASCII})\p{L}/gu))];
}
