/**
 * Text that somebody decides by. Whatever a terminal would obey, or would show as nothing, is written
 * out as an escape: control and format characters, marks that turn the reading direction, combining
 * marks, spaces other than the ordinary one, line breaks.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

// The blank Braille pattern is a symbol by its category, and blank.
const UNSEEN = /[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Letters that may look like others, such as a Cyrillic o in the name of a package. */
export function lettersOutsideAscii(text: string): readonly string[] {
  return [...new Set(text.match(/(?!\p{ASCII})\p{L}/gu))];
}
