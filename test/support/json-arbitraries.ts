/**
 * JSON texts as they may arrive: any white space between tokens, numbers and strings in any
 * spelling, keys written with escapes, keys that occur twice. What such a text means is what
 * JSON.parse makes of it.
 */
import * as fc from "fast-check";
import { anyCharacter } from "./any-character.ts";

export interface JsonTextOptions {
  /** White space may be line breaks too; not for messages that travel as lines. */
  readonly lineBreaks?: boolean;
  readonly maxDepth?: number;
}

export interface JsonTexts {
  readonly value: fc.Arbitrary<string>;
  readonly object: fc.Arbitrary<string>;
  readonly array: fc.Arbitrary<string>;
  readonly space: fc.Arbitrary<string>;
}

const NUMBERS = [
  "0",
  "-0",
  "7",
  "1.0",
  "-12.50",
  "1e5",
  "2E-3",
  "9007199254740993",
  "123456789012345678901234567890",
  "1e400",
];

/** One character of a string, in one of the spellings that JSON allows for it. */
const character = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...'abid"\\/{}[],: \n\t\u0000') },
      { weight: 2, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }) },
      { weight: 2, arbitrary: fc.constantFrom("é", "€", "😀", "\u2028", "\ud800") },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }) },
    ),
    fc.boolean(),
  )
  .map(([text, escaped]) => (escaped ? escapedText(text) : JSON.stringify(text).slice(1, -1)));

function escapedText(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** A string token, with its quotes. */
export const stringText: fc.Arbitrary<string> = fc
  .array(character, { maxLength: 12 })
  .map((characters) => `"${characters.join("")}"`);

const keyText = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"id"', '"\\u0061"', '"i\\u0064"', '"__proto__"', '""'),
  stringText,
);

const scalarText = fc.oneof(
  fc.constantFrom("null", "true", "false"),
  fc.constantFrom(...NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  stringText,
);

export function jsonTexts({ lineBreaks = true, maxDepth = 3 }: JsonTextOptions = {}): JsonTexts {
  const space = fc.oneof(
    { weight: 3, arbitrary: fc.constant("") },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.constantFrom(" ", "\t", ...(lineBreaks ? ["\n", "\r\n"] : [])), { maxLength: 3 })
        .map((parts) => parts.join("")),
    },
  );
  const spaced = (token: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(space, token, space).map((parts) => parts.join(""));
  const { value, object, array } = fc.letrec<{ value: string; object: string; array: string }>(
    (tie) => ({
      value: fc.oneof(
        { maxDepth, depthIdentifier: "json" },
        scalarText,
        tie("object"),
        tie("array"),
      ),
      object: fc
        .tuple(
          fc.array(
            fc.tuple(spaced(keyText), spaced(tie("value"))).map((pair) => pair.join(":")),
            { maxLength: 5, depthIdentifier: "json" },
          ),
          space,
        )
        .map(([members, inside]) => `{${members.join(",") || inside}}`),
      array: fc
        .tuple(
          fc.array(spaced(tie("value")), {
            maxLength: 5,
            depthIdentifier: "json",
          }),
          space,
        )
        .map(([elements, inside]) => `[${elements.join(",") || inside}]`),
    }),
  );
  return { value, object, array, space };
}

/** Splits bytes into chunks at any position, also inside characters; a chunk may be empty. */
export function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...places].map((start, i) => bytes.subarray(start, places[i] ?? bytes.length));
}

/** Where to cut; for `cutAt`. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.nat(), { maxLength: 8 });

/** A key in its plain spelling or with its first character escaped. */
const spelled = (key: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(JSON.stringify(key)) },
    { weight: 1, arbitrary: fc.constant(`"${escapedText(key.charAt(0))}${key.slice(1)}"`) },
  );

/** An object with these members, in any order, with any white space and any spelling of the keys. */
export function objectWith(
  members: Readonly<Record<string, fc.Arbitrary<string>>>,
  space: fc.Arbitrary<string>,
  spellings: (key: string) => fc.Arbitrary<string> = spelled,
): fc.Arbitrary<string> {
  const written = Object.entries(members).map(([key, value]) =>
    fc
      .tuple(space, spellings(key), space, space, value, space)
      .map(([a, name, b, c, text, d]) => `${a}${name}${b}:${c}${text}${d}`),
  );
  const order = fc.shuffledSubarray([...written.keys()], { minLength: written.length });
  return fc
    .tuple(order, ...written)
    .map(([places, ...texts]) => `{${places.map((place) => texts[place]).join(",")}}`);
}

/** The same with keys written as they are. */
export function plainObjectWith(
  members: Readonly<Record<string, fc.Arbitrary<string>>>,
  space: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return objectWith(members, space, (key) => fc.constant(JSON.stringify(key)));
}
