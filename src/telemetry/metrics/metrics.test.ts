import { describe, expect, it } from "vitest";
import { BoundedNames } from "./bounded-names.ts";
import { Counter, Histogram, MAX_SERIES } from "./instruments.ts";
import { prometheusText } from "./prometheus.ts";

const INFO = { name: "a.b", prometheusName: "a_b", unit: "s", description: 'A "b"\nand \\ c' };

describe("a histogram", () => {
  it("counts a value in the first bucket whose bound it does not exceed", () => {
    const histogram = new Histogram(INFO, [1, 2]);
    for (const value of [0.5, 1, 1.5, 2, 2.5, Infinity])
      histogram.record(value, "x", () => ({ x: "1" }));
    expect(histogram.collect()).toMatchObject({
      histograms: [{ attributes: { x: "1" }, counts: [2, 2, 2], count: 6 }],
    });
  });

  it("is written for Prometheus with cumulative buckets and escaped labels", () => {
    const histogram = new Histogram(INFO, [1, 2]);
    histogram.record(0.5, "", () => ({}));
    histogram.record(3, "x", () => ({ "mcp_workbench.server": 'a"\\\n\ud800', "x.y": "é" }));
    expect(prometheusText([histogram.collect()]).split("\n")).toEqual([
      '# HELP a_b A "b"\\nand \\\\ c',
      "# TYPE a_b histogram",
      'a_b_bucket{le="1"} 1',
      'a_b_bucket{le="2"} 1',
      'a_b_bucket{le="+Inf"} 1',
      "a_b_sum 0.5",
      "a_b_count 1",
      'a_b_bucket{server="a\\"\\\\\\n\ufffd",x_y="é",le="1"} 0',
      'a_b_bucket{server="a\\"\\\\\\n\ufffd",x_y="é",le="2"} 0',
      'a_b_bucket{server="a\\"\\\\\\n\ufffd",x_y="é",le="+Inf"} 1',
      'a_b_sum{server="a\\"\\\\\\n\ufffd",x_y="é"} 3',
      'a_b_count{server="a\\"\\\\\\n\ufffd",x_y="é"} 1',
      "",
    ]);
  });
});

describe("a counter", () => {
  it("has a bounded number of series; the rest share one", () => {
    const counter = new Counter(INFO);
    for (let i = 0; i < MAX_SERIES + 500; i++) counter.add(1, String(i), () => ({ i: String(i) }));
    counter.add(1, "0", () => ({}));
    const data = counter.collect();
    const points = "points" in data ? data.points : [];
    expect(points).toHaveLength(MAX_SERIES + 1);
    expect(points[0]).toEqual({ attributes: { i: "0" }, value: 2 });
    expect(points.at(-1)).toEqual({ attributes: { "otel.metric.overflow": "true" }, value: 500 });
  });

  it("without values is not written", () => {
    expect(prometheusText([new Counter(INFO).collect()])).toBe("\n");
  });
});

describe("names for labels", () => {
  it("are bounded in number and length, and have no secrets", () => {
    const names = new BoundedNames(2, "_other", (text) => text.replace("secret", "[redacted]"));
    expect(names.get("a secret", "s")).toBe("a [redacted]");
    expect(names.get("x".repeat(10_000), "s")).toHaveLength(128);
    expect(names.get("c", "s")).toBe("_other");
    expect(names.get("a secret", "t")).toBe("_other");
    expect(names.get("a secret", "s")).toBe("a [redacted]");
  });

  it("are the same if they are written in the same way, so that no series exists twice", () => {
    const names = new BoundedNames(9, "_other");
    expect([names.get("a\ud800"), names.get("a\udfff"), names.get("a\ud83d\ude00")]).toEqual([
      "a\ufffd",
      "a\ufffd",
      "a\ud83d\ude00",
    ]);
  });
});
