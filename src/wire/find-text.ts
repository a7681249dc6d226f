/**
 * Whether a text occurs in JSON.
 *
 * Native searches stop at each occurrence of the first character to compare the rest. In JSON, the
 * quote in front of a key is one of the most frequent characters and a capital in the key one of the
 * rarest. So the text is first searched without what precedes its first capital: `Id"` for `"taskId"`.
 */

/** In shorter texts, one search costs less than the preparation of another. */
const MIN_PREPARED = 1024;
const CAPITAL = /[A-Z]/;

/** What both strings and buffers have. */
interface Searched {
  readonly length: number;
  includes(text: string): boolean;
}

export function occursIn(json: Searched, text: string): boolean {
  if (json.length >= MIN_PREPARED) {
    const capital = text.search(CAPITAL);
    if (capital > 0 && !json.includes(text.slice(capital))) return false;
  }
  return json.includes(text);
}
