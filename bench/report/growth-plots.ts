import type { Results } from "../harness/measure.ts";
import { type Line, plot } from "./plot.ts";
import { Reading } from "./reading.ts";

interface Growth {
  /** The start of the names of its measures. */
  readonly id: string;
  readonly title: string;
  readonly x: string;
}

/** What grows while everything else stays as it is. */
export const GROWTHS: readonly Growth[] = [
  { id: "clients", title: "Clients over HTTP", x: "clients" },
  { id: "servers", title: "Servers in the configuration", x: "servers" },
  { id: "tools", title: "Tools of a server", x: "tools" },
];

const PLOTTED: readonly (readonly [id: string, name: string])[] = [
  ["echo", "time of a call, µs"],
  ["cpu", "CPU time of a call, µs"],
  ["memory", "memory, MB"],
];

export const plotFile = (id: string): string => `performance-${id}.svg`;

/** The cost of a call and the memory, by the number of what grows. */
export function growthPlot(results: Results, { id, title, x }: Growth): string {
  const reading = new Reading(results);
  const lines: Line[] = [];
  for (const [measure, name] of PLOTTED) {
    const points: [number, number][] = [];
    for (const size of reading.subjects(`${id}/${measure}`)) {
      const value = reading.value(`${id}/${measure}`, size);
      if (value !== undefined) points.push([Number(size), value]);
    }
    if (points.length > 0) lines.push({ name, points });
  }
  const plain = (value: number): string => value.toLocaleString("en-US");
  return plot(lines, { title, x: `number of ${x}`, y: "µs, or MB", size: plain, time: plain });
}
