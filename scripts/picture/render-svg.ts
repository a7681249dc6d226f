import type { Colour, Span } from "./terminal-text.ts";

export interface Screen {
  readonly title: string;
  readonly lines: readonly (readonly Span[])[];
}

const FONT_SIZE = 13;
/** The width of a character in most monospaced fonts; `textLength` fits the others to it. */
const COLUMN = 7.8;
const LINE = 17;
const PADDING = 20;
const BAR = 34;
const MIN_COLUMNS = 80;

/** Readable on the fixed dark background, whatever the colours of the page around it. */
const COLOURS: Readonly<Record<Colour, string>> = {
  red: "#ff7b72",
  green: "#56d364",
  yellow: "#e3b341",
  cyan: "#56d4dd",
};

/** A window with the lines in it. One line of the file for each piece of text keeps diffs readable. */
export function renderSvg({ title, lines }: Screen): string {
  const columns = Math.max(MIN_COLUMNS, ...lines.map(widthOf));
  const width = Math.ceil(columns * COLUMN + 2 * PADDING);
  const height = BAR + lines.length * LINE + PADDING;
  const texts = lines.flatMap((spans, row) =>
    spans
      .filter(({ text }) => text.trim() !== "")
      .map((span) => renderSpan(span, BAR + (row + 1) * LINE)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">`,
    `<title>${escaped(title)}</title>`,
    "<!-- Written by `npm run picture` from a run of the program. Do not edit. -->",
    "<style>",
    `text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3 }`,
    ".bold { font-weight: bold }",
    ".dim { fill: #9198a1 }",
    ...Object.entries(COLOURS).map(([name, value]) => `.${name} { fill: ${value} }`),
    "</style>",
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#3d444d"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (fill, i) => `<circle cx="${PADDING + 6 + i * 18}" cy="18" r="5.5" fill="${fill}"/>`,
    ),
    ...texts,
    "</svg>",
    "",
  ].join("\n");
}

function widthOf(spans: readonly Span[]): number {
  const last = spans.at(-1);
  return last === undefined ? 0 : last.column + lengthOf(last.text);
}

const lengthOf = (text: string): number => Array.from(text).length;

function renderSpan({ column, text, isBold, isDim, colour }: Span, y: number): string {
  const names = [isBold && "bold", isDim && "dim", colour].filter(Boolean).join(" ");
  const look = names === "" ? "" : ` class="${names}"`;
  const shown = text.trimEnd();
  // Positions replace leading blanks, which would not be stretched like the text.
  const indent = lengthOf(shown) - lengthOf(shown.trimStart());
  const x = (PADDING + (column + indent) * COLUMN).toFixed(1);
  const length = ((lengthOf(shown) - indent) * COLUMN).toFixed(1);
  return `<text x="${x}" y="${y}" textLength="${length}"${look}>${escaped(shown.trimStart())}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
