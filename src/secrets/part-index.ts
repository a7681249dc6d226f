/** Looked up first: every relevant part contains one of these at an indexed position. */
const GRAM = 6;
/** The filter looks at this many of them. */
const CODE_CHARS = 4;
/** How many slots the filter has, as a power of two. */
const SLOT_BITS = 18;
/** This many characters of a long form count as the whole form. */
const MIN_PART = 12;
const MIN_LONG_FORM = 16;
/** Shorter forms count only as a whole: parts of them are too often ordinary words. */
const MIN_DIVIDED_FORM = 12;
/** A form that repeats itself would otherwise be compared at every repetition. */
const MAX_PLACES = 4;

/** In the table of `mayBeIn`: the byte is ignored, or the text has to be searched in the usual way. */
export const SKIPPED = 0;
export const UNREAD = 255;

/** A range of a text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

interface Place {
  readonly form: string;
  readonly at: number;
}

/**
 * Finds forms, or large enough parts of them, in a text of bytes. A single regular expression would
 * take long to compile for a key of many lines, and fail for a very long value.
 */
export class PartIndex {
  readonly #places = new Map<string, Place[]>();
  readonly #filter = new GramFilter();

  /** Parts of `divided` forms are found at any position, parts of others only at either end. */
  constructor(forms: { readonly divided: Iterable<string>; readonly others: Iterable<string> }) {
    const divided = new Set(forms.divided);
    for (const form of divided) this.#add(form, true);
    for (const form of new Set(forms.others)) if (!divided.has(form)) this.#add(form, false);
  }

  /**
   * False if a text certainly contains no form, which is so for nearly every text. It is passed as bytes, which are read
   * faster than the characters of a string. `codes` has the searched character for each byte: `SKIPPED`, or `UNREAD` for
   * those that this pass cannot judge.
   */
  mayBeIn(bytes: Uint8Array, codes: Uint8Array): boolean {
    return this.#filter.find(bytes, codes, (at) => this.#mayHaveGram(bytes, at, codes));
  }

  /** Whether a gram begins with the four searched characters that end at a position. */
  #mayHaveGram(bytes: Uint8Array, at: number, codes: Uint8Array): boolean {
    let gram = "";
    for (let back = at; back >= 0 && gram.length < CODE_CHARS; back--) {
      const searched = codes[bytes[back] as number] as number;
      if (searched !== SKIPPED) gram = String.fromCharCode(searched) + gram;
    }
    for (let next = at + 1; next < bytes.length && gram.length < GRAM; next++) {
      const searched = codes[bytes[next] as number] as number;
      if (searched === UNREAD) return true;
      if (searched !== SKIPPED) gram += String.fromCharCode(searched);
    }
    return this.#places.has(gram);
  }

  /** The ranges of a text that are forms or parts of them, in order and not overlapping. */
  find(text: string): Stretch[] {
    const stretches: Stretch[] = [];
    let done = 0;
    for (let at = this.#filter.next(text, 0); at !== -1; at = this.#filter.next(text, at + 1)) {
      const places = this.#places.get(text.slice(at, at + GRAM));
      const found = places && longestAt(text, at, places);
      if (found === undefined) continue;
      stretches.push({ start: Math.max(done, found.start), end: found.end });
      done = found.end;
      at = done - 1;
    }
    return stretches;
  }

  #add(form: string, isDivided: boolean): void {
    const last = form.length - GRAM;
    if (last < 0) return;
    this.#addPlace(form, 0);
    if (last === 0 || form.length < MIN_DIVIDED_FORM) return;
    const step = minPart(form) >= 2 * GRAM - 1 ? GRAM : 1;
    if (isDivided) for (let at = step; at < last; at += step) this.#addPlace(form, at);
    this.#addPlace(form, last);
  }

  #addPlace(form: string, at: number): void {
    const gram = form.slice(at, at + GRAM);
    const places = this.#places.get(gram);
    this.#filter.add(gram);
    if (places === undefined) this.#places.set(gram, [{ form, at }]);
    else if (places.at(-MAX_PLACES)?.form !== form) places.push({ form, at });
  }
}

/** Quickly rules out nearly all positions of a text where no gram begins. */
class GramFilter {
  /** One bit for each slot, so that all of them fit into the cache of the processor. */
  readonly #known = new Uint8Array(1 << (SLOT_BITS - 3));

  add(gram: string): void {
    const slot = slotOf(codeAt(gram, 0));
    this.#known[slot >>> 3] = (this.#known[slot >>> 3] as number) | (1 << (slot & 7));
  }

  /** True if a byte cannot be judged, or if `isGram` is true for the end of what may be a gram. */
  find(bytes: Uint8Array, codes: Uint8Array, isGram: (at: number) => boolean): boolean {
    const known = this.#known;
    let code = 0;
    for (let at = 0; at < bytes.length; at++) {
      const searched = codes[bytes[at] as number] as number;
      if (searched === SKIPPED) continue;
      if (searched === UNREAD) return true;
      code = (code >>> 8) | (searched << 24);
      if (isIn(known, code) && isGram(at)) return true;
    }
    return false;
  }

  /** The next position where a gram may begin, or -1. */
  next(text: string, from: number): number {
    const known = this.#known;
    const last = text.length - GRAM;
    if (from > last) return -1;
    let code = codeAt(text, from);
    for (let at = from; ; at++) {
      if (isIn(known, code)) return at;
      if (at === last) return -1;
      code = (code >>> 8) | (text.charCodeAt(at + 4) << 24);
    }
  }
}

function isIn(known: Uint8Array, code: number): boolean {
  const slot = slotOf(code);
  return ((known[slot >>> 3] as number) & (1 << (slot & 7))) !== 0;
}

/** The four bytes at a position as one number. */
function codeAt(text: string, at: number): number {
  let code = 0;
  for (let byte = 0; byte < CODE_CHARS; byte++) code |= text.charCodeAt(at + byte) << (8 * byte);
  return code;
}

function slotOf(code: number): number {
  return Math.imul(code, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

/** How much of a form must be present. */
function minPart(form: string): number {
  if (form.length < MIN_DIVIDED_FORM) return form.length;
  if (form.length < MIN_LONG_FORM) return Math.ceil(form.length * 0.75);
  // Addresses have common prefixes that are not secret.
  return form.includes("://") ? Math.max(MIN_PART, form.length / 2) : MIN_PART;
}

function longestAt(text: string, at: number, places: readonly Place[]): Stretch | undefined {
  let longest: Stretch | undefined;
  for (const { form, at: inForm } of places) {
    let before = 0;
    while (before < inForm && before < at && text[at - 1 - before] === form[inForm - 1 - before])
      before++;
    let after = GRAM;
    while (inForm + after < form.length && text[at + after] === form[inForm + after]) after++;
    const length = before + after;
    if (length >= minPart(form) && length > (longest ? longest.end - longest.start : 0))
      longest = { start: at - before, end: at + after };
  }
  return longest;
}
