/** Text with the colours and emphasis of a terminal. */

export interface Look {
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly colour: Colour | undefined;
}
export type Colour = "red" | "green" | "yellow" | "cyan";

/** Neighbouring characters that look the same, and the column where they begin. */
export interface Span extends Look {
  readonly column: number;
  readonly text: string;
}

const PLAIN: Look = { isBold: false, isDim: false, colour: undefined };
const CHANGES: Readonly<Record<string, Partial<Look>>> = {
  0: PLAIN,
  1: { isBold: true },
  2: { isDim: true },
  22: { isBold: false, isDim: false },
  31: { colour: "red" },
  32: { colour: "green" },
  33: { colour: "yellow" },
  36: { colour: "cyan" },
  39: { colour: undefined },
};

// oxlint-disable-next-line no-control-regex -- the control sequences that the program uses
const SEQUENCE = /\u001b\[([\d;]*)([A-Za-z])|[^\u001b]+|\u001b/g;

/** The lines as spans. Sequences that do more than change the look are an error: nothing would draw them. */
export function parseTerminalText(text: string): readonly (readonly Span[])[] {
  let look = PLAIN;
  return text.split("\n").map((line) => {
    const spans: Span[] = [];
    let column = 0;
    for (const [part, codes, letter] of line.matchAll(SEQUENCE)) {
      if (!part.startsWith("\u001b")) {
        spans.push({ ...look, column, text: part });
        column += Array.from(part).length;
      } else if (letter === "m") look = (codes || "0").split(";").reduce(changed, look);
      else throw new Error(`Unknown control sequence: ${JSON.stringify(part)}`);
    }
    return spans;
  });
}

function changed(look: Look, code: string): Look {
  const change = CHANGES[code];
  if (change === undefined) throw new Error(`Unknown colour or emphasis: ${code}`);
  return { ...look, ...change };
}
