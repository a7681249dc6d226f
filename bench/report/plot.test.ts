import { describe, expect, it } from "vitest";

import { plot } from "./plot.ts";

const labels = {
  title: "a < b",
  x: "x",
  y: "y",
  size: (value: number) => `${value} B`,
  time: (value: number) => `${value} us`,
};

describe("the plot of the benchmark", () => {
  it("places values on logarithmic axes", () => {
    const points = [
      [1, 1],
      [10, 10],
      [100, 100],
    ] as const;
    const svg = plot([{ name: "line", points }], labels);
    const places = /points="([^"]+)"/
      .exec(svg)?.[1]
      ?.split(" ")
      .map((place) => place.split(","));
    const [first, middle, last] = (places ?? []).map(([x]) => Number(x));
    expect((middle as number) - (first as number)).toBeCloseTo(
      (last as number) - (middle as number),
    );
    expect(svg).toContain(">10 B</text>");
    expect(svg).toContain(">100 us</text>");
  });

  it("escapes labels", () => {
    expect(plot([{ name: "n", points: [[1, 1]] }], labels)).toContain("<title>a &lt; b</title>");
  });

  it("keeps overlapping labels apart", () => {
    const same = [[100, 100]] as const;
    const svg = plot(
      ["one", "two"].map((name) => ({ name, points: same })),
      labels,
    );
    const top = (name: string): number =>
      Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]);
    expect(Math.abs(top("one") - top("two"))).toBeGreaterThanOrEqual(12);
  });
});
