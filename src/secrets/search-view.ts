/**
 * The text that is searched: the UTF-8 bytes, one character each, in lower case and without ignored
 * characters.
 */
export interface View {
  readonly ignored: RegExp;
  /** Whether escapes are replaced by the characters they represent. */
  readonly decoded: boolean;
}

/** Enough for text that was encoded twice and then quoted in JSON. */
const MAX_LAYERS = 4;

export function searchText(text: string, { ignored, decoded }: View): string {
  let bytes = bytesOf(text);
  const layers = decoded ? MAX_LAYERS : 0;
  for (let layer = 0; layer < layers && hasEscapes(bytes); layer++)
    bytes = bytes.replaceAll(ESCAPE, meaningOf);
  return bytes.replaceAll(ignored, "").toLowerCase();
}

/** For each character of the searched text, the start and end of its source. */
export interface Origins {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Takes much longer than the search text itself, and is needed only where something was found. */
export function originsOf(text: string, { ignored, decoded }: View): Origins {
  let layer = layerOf(text);
  const layers = decoded ? MAX_LAYERS : 0;
  for (let passes = 0; passes < layers && hasEscapes(layer.bytes); passes++)
    layer = replaced(layer, ESCAPE, meaningOf);
  return replaced(layer, ignored, () => "");
}

export function hasEscapes(text: string): boolean {
  return text.search(ESCAPE) !== -1;
}

/** The bytes of a text, one character each, so that folding case never changes the length. */
export function bytesOf(text: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII is meant
  return /^[\u0000-\u007f]*$/.test(text) ? text : Buffer.from(text).toString("latin1");
}

const HEX = "[0-9a-f]";
const UNIT = `u${HEX}{4}`;
/** Quoting a quotation doubles its backslashes; text that is quoted more often is not decoded. */
const BACKSLASHES = String.raw`\\{1,8}`;
const ESCAPE = new RegExp(
  [
    `%${HEX}{2}`,
    `${BACKSLASHES}(?:ud[89ab]${HEX}{2}${BACKSLASHES}ud[c-f]${HEX}{2}|${UNIT}|u\\{${HEX}{1,6}\\}|x${HEX}{2}|[0-3][0-7]{2})`,
    `&(?:#x${HEX}{1,6}|#\\d{1,7}|amp|quot|apos|lt|gt);`,
  ].join("|"),
  "gi",
);
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
  ["lt", "<"],
  ["gt", ">"],
]);

function meaningOf(escape: string): string {
  const [kind = "", rest] = [escape.replace(/^\\+/, "").charAt(0), escape.replace(/^[\\%]+/, "")];
  if (kind === "%") return String.fromCharCode(Number.parseInt(rest, 16));
  if (kind === "&") return entity(rest.slice(1, -1).toLowerCase());
  if (kind === "x" || kind === "X") return String.fromCharCode(Number.parseInt(rest.slice(1), 16));
  if (kind !== "u" && kind !== "U") return String.fromCharCode(Number.parseInt(rest, 8));
  const units = Array.from(rest.matchAll(/u\{?([0-9a-f]+)/gi), ([, hex = ""]) => hex);
  return characters(units.map((hex) => Number.parseInt(hex, 16)));
}

function entity(name: string): string {
  const known = ENTITIES.get(name);
  if (known !== undefined) return known;
  const isHex = name.startsWith("#x");
  return characters([Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)]);
}

function characters(codePoints: readonly number[]): string {
  return codePoints.some((code) => code > 0x10ffff)
    ? ""
    : bytesOf(String.fromCodePoint(...codePoints));
}

interface Layer extends Origins {
  readonly bytes: string;
}

function layerOf(text: string): Layer {
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    for (let left = Buffer.byteLength(character); left > 0; left--) {
      starts.push(at);
      ends.push(at + character.length);
    }
    at += character.length;
  }
  return { bytes: bytesOf(text), starts, ends };
}

/** The layer with every match of the pattern replaced. */
function replaced(layer: Layer, pattern: RegExp, replacement: (found: string) => string): Layer {
  const starts: number[] = [];
  const ends: number[] = [];
  let bytes = "";
  let from = 0;
  const keep = (to: number): void => {
    for (let at = from; at < to; at++) {
      starts.push(layer.starts[at] ?? 0);
      ends.push(layer.ends[at] ?? 0);
    }
    bytes += layer.bytes.slice(from, to);
  };
  for (const { 0: found, index } of layer.bytes.matchAll(pattern)) {
    keep(index);
    from = index + found.length;
    const instead = replacement(found);
    for (let count = 0; count < instead.length; count++) {
      starts.push(layer.starts[index] ?? 0);
      ends.push(layer.ends[from - 1] ?? 0);
    }
    bytes += instead;
  }
  keep(layer.bytes.length);
  return { bytes, starts, ends };
}
