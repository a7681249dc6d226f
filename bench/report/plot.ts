/** A plot with two logarithmic axes as SVG. */

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface Axis {
  readonly from: number;
  readonly to: number;
  /** Maps a value to a position in the drawing. */
  place(value: number): number;
}

const WIDTH = 760;
const HEIGHT = 440;
const LEFT = 80;
const RIGHT = 190;
const TOP = 46;
const BOTTOM = 56;
const GAP = 15;
/** Distinguishable for readers with red-green colour blindness, too. */
const COLOURS = ["#000000", "#999999", "#e69f00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9"];

export interface Labels {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  size(value: number): string;
  time(value: number): string;
}

export function plot(lines: readonly Line[], labels: Labels): string {
  const points = lines.flatMap((line) => line.points);
  const x = axis(
    points.map(([value]) => value),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = axis(
    points.map(([, value]) => value),
    HEIGHT - BOTTOM,
    TOP,
  );
  const body = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 24, labels.title, "start", 15),
    ...decades(x).flatMap((value) => [
      rule(x.place(value), TOP, x.place(value), HEIGHT - BOTTOM),
      text(x.place(value), HEIGHT - BOTTOM + 18, labels.size(value), "middle"),
    ]),
    ...decades(y).flatMap((value) => [
      rule(LEFT, y.place(value), WIDTH - RIGHT, y.place(value)),
      text(LEFT - 8, y.place(value) + 4, labels.time(value), "end"),
    ]),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, labels.x, "middle"),
    text(LEFT, TOP - 8, labels.y, "start"),
    ...lines.map((line, index) => curve(line, colour(index), x, y)),
    ...names(lines, x, y),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escaped(labels.title)}</title>`,
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

function axis(values: readonly number[], start: number, end: number): Axis {
  const from = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const to = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  const span = Math.log10(to / from) || 1;
  return {
    from,
    to,
    place: (value) => start + (Math.log10(value / from) / span) * (end - start),
  };
}

function decades({ from, to }: Axis): number[] {
  const count = Math.round(Math.log10(to / from));
  return Array.from({ length: count + 1 }, (_, power) => from * 10 ** power);
}

function curve({ points }: Line, stroke: string, x: Axis, y: Axis): string {
  const places = points.map(([at, value]) => `${round(x.place(at))},${round(y.place(value))}`);
  const dots = places.map((place) => {
    const [cx, cy] = place.split(",");
    return `<circle cx="${cx}" cy="${cy}" r="3" fill="${stroke}"/>`;
  });
  const path = `<polyline points="${places.join(" ")}" fill="none" stroke="${stroke}" stroke-width="2"/>`;
  return [path, ...dots].join("");
}

/** The names at the right ends of the lines, moved apart where they would cover each other. */
function names(lines: readonly Line[], x: Axis, y: Axis): string[] {
  const ends = lines.map(({ name, points }, index) => {
    const [at, value] = points[points.length - 1] ?? [x.from, y.from];
    return { name, fill: colour(index), left: x.place(at) + 8, top: y.place(value) + 4 };
  });
  ends.sort((a, b) => a.top - b.top);
  let last = -Infinity;
  return ends.map(({ name, fill, left, top }) => {
    last = Math.max(top, last + GAP);
    return text(left, last, name, "start", 12, fill);
  });
}

function text(
  x: number,
  y: number,
  content: string,
  anchor: "start" | "middle" | "end",
  size = 12,
  fill = "#333333",
): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" fill="${fill}">${escaped(content)}</text>`;
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="#dddddd"/>`;
}

const colour = (index: number): string => COLOURS[index % COLOURS.length] as string;
const round = (value: number): number => Math.round(value * 10) / 10;
const escaped = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
