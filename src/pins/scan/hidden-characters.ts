/** Characters that people do not see, or see in another place, but that models read. */
export type HiddenKind =
  | "tag characters"
  | "zero-width characters"
  | "direction marks"
  | "private-use characters"
  | "variation selectors";

/** Flags of regions, such as Scotland's, are the proper use of tag characters. */
const FLAG = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;
const TAG = /[\u{E0000}-\u{E007F}]/u;
const ZERO_WIDTH =
  /\u200b|[\u2060-\u2064]|\u180e|\u034f|\u3164|\u115f|\u1160|\uffa0|(?<=.)\ufeff/su;
/** Joiners are part of emoji and of several scripts, but not of words in ASCII letters. */
const JOINED_ASCII = /(?<=[\x20-\x7e])[\u200c\u200d]+(?=[\x20-\x7e])/;
const EMBEDDING = /[\u202a-\u202e\u2066-\u2069]/;
const DIRECTION_MARK = /[\u200e\u200f\u061c]/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const PRIVATE = /\p{Co}/u;
/** Each can stand for a byte; emoji need one at a time. */
const SELECTORS = /[\u{E0100}-\u{E01EF}]|[\ufe00-\ufe0f]{3}/u;

/** The kinds of hidden characters in a text, which must be decoded: `\u200b` in a description is visible. */
export function hiddenCharacters(text: string): readonly HiddenKind[] {
  const plain = text.replaceAll(FLAG, "");
  const found: HiddenKind[] = [];
  if (TAG.test(plain)) found.push("tag characters");
  if (ZERO_WIDTH.test(plain) || JOINED_ASCII.test(plain)) found.push("zero-width characters");
  const hasMark = DIRECTION_MARK.test(plain) && !RIGHT_TO_LEFT.test(plain);
  if (EMBEDDING.test(plain) || hasMark) found.push("direction marks");
  if (PRIVATE.test(plain)) found.push("private-use characters");
  if (SELECTORS.test(plain)) found.push("variation selectors");
  return found;
}
