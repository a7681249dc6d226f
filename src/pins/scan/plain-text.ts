/** Letters that look like Latin ones and do not become them by normalisation, with what they look like. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ["аеорсухіјѕԁһӏԛԝгпкмтвЅІЈАВЕКМНОРСТУХԌ", "aeopcyxijsdhlqwrnkmtbSIJABEKMHOPCTYXG"],
    ["οιυρνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oiupvABEZHIKMNOPTYX"],
    ["ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢıɡɑ", "abcdefghijklmnoprstuvwyziga"],
    ["ացօսոհ", "agouhh"],
  ].flatMap(([from = "", to = ""]) => {
    const letters = [...to];
    return Array.from(from, (letter, i) => [letter, letters[i] ?? ""] as const);
  }),
);
const LOOK_ALIKE = new RegExp(`[${[...LOOK_ALIKES.keys()].join("")}]`, "gu");

/**
 * A text as its readers understand it: look-alikes as Latin letters, without accents and invisible
 * characters, line breaks as spaces.
 */
export function plainText(text: string): string {
  return withoutLookAlikes(
    text
      .normalize("NFKD")
      .replaceAll(/[\p{M}\p{Cf}]/gu, "")
      .replaceAll(/\s+/g, " "),
  );
}

export function withoutLookAlikes(text: string): string {
  return text.replaceAll(LOOK_ALIKE, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

/** At the end of a word it may be an ending. Turkish has letters of its own, which are Latin. */
const FOREIGN_BEFORE_ASCII = /(?!\p{Script=Latin})\p{L}(?=[A-Za-z])/u;
const WORD = /[\p{L}\p{N}_]{4,}/gu;

/**
 * A word of ASCII letters and letters that only look like some, which no language has. Words with other
 * letters of their alphabet, such as an English stem with a Russian ending, are not meant.
 */
export function disguisedWord(text: string): string | undefined {
  for (const [word] of text.matchAll(WORD)) {
    if (!FOREIGN_BEFORE_ASCII.test(word)) continue;
    const plain = withoutLookAlikes(word);
    if (/^\w+$/.test(plain)) return plain;
  }
  return undefined;
}
