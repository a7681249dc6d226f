/**
 * JSON as a tree in which spelling does not matter and everything else does: escapes, white space
 * and the spelling of numbers are normalised; a key that is written twice stays there twice, because
 * readers disagree about which one counts.
 */
export type JsonTree =
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "array"; readonly items: readonly JsonTree[] }
  | { readonly kind: "string"; readonly value: string }
  /** A number in its normal form, or true, false, null. */
  | { readonly kind: "literal"; readonly text: string };

export type Member = readonly [key: string, value: JsonTree];

/** Reads JSON that has been parsed before, so it is known to be valid and not too deep. */
export function jsonTree(text: string): JsonTree {
  return new Reader(text).value();
}

/** One text for all spellings of the same value; the members of objects are sorted by key. */
export function canonicalText(tree: JsonTree): string {
  switch (tree.kind) {
    case "object": {
      const members = sortedByKey(tree.members).map(
        ([key, value]) => `${JSON.stringify(key)}:${canonicalText(value)}`,
      );
      return `{${members.join(",")}}`;
    }
    case "array":
      return `[${tree.items.map(canonicalText).join(",")}]`;
    case "string":
      return JSON.stringify(tree.value);
    case "literal":
      return tree.text;
  }
}

/** By code units, as in RFC 8785; members with the same key keep their order. */
function sortedByKey(members: readonly Member[]): Member[] {
  return [...members].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Longer exponents are compared as they are written. */
const MAX_EXPONENT_CHARS = 15;

/**
 * The exact decimal value: `1`, `1.0` and `10e-1` are equal, and two integers are only if all their
 * digits are, no matter how large they are. A double would confuse neighbours above 2^53.
 */
export function normalNumber(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  if (exponent.length > MAX_EXPONENT_CHARS) return text;
  const digits = withoutLeadingZeros(whole + fraction);
  if (digits === "") return "0";
  const significant = withoutTrailingZeros(digits);
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${decimal(significant, power)}`;
}

/** Longer numbers are written with an exponent, as people do. */
const MAX_PLAIN_DIGITS = 21;

function decimal(digits: string, power: number): string {
  const length = digits.length + power;
  if (power >= 0 && length <= MAX_PLAIN_DIGITS) return digits.padEnd(length, "0");
  if (power < 0 && length > 0) return `${digits.slice(0, length)}.${digits.slice(length)}`;
  if (power < 0 && -power <= MAX_PLAIN_DIGITS) return `0.${digits.padStart(-power, "0")}`;
  return power === 0 ? digits : `${digits}e${power}`;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === "0") start++;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Skips commas and colons: in valid JSON the brackets alone determine the structure. */
class Reader {
  readonly #text: string;
  readonly #tokens = /[\s,:]*("[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s,:[\]{}"]+)/y;

  constructor(text: string) {
    this.#text = text;
  }

  value(): JsonTree {
    return this.#valueOf(this.#token());
  }

  #valueOf(token: string): JsonTree {
    if (token === "{") return { kind: "object", members: this.#members() };
    if (token === "[") return { kind: "array", items: this.#items() };
    if (token.startsWith('"')) return { kind: "string", value: JSON.parse(token) as string };
    return { kind: "literal", text: /^[-\d]/.test(token) ? normalNumber(token) : token };
  }

  #members(): Member[] {
    const members: Member[] = [];
    for (let key = this.#token(); key !== "}"; key = this.#token())
      members.push([JSON.parse(key) as string, this.value()]);
    return members;
  }

  #items(): JsonTree[] {
    const items: JsonTree[] = [];
    for (let token = this.#token(); token !== "]"; token = this.#token())
      items.push(this.#valueOf(token));
    return items;
  }

  #token(): string {
    const token = this.#tokens.exec(this.#text)?.[1];
    if (token === undefined) throw new Error("invalid JSON");
    return token;
  }
}
