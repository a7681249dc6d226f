import { describe, expect, it } from "vitest";
import type { ClientCall, Step } from "../calls/call.ts";
import { textResult } from "../calls/outcome.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { CallPipeline, type PipelineContext } from "./call-pipeline.ts";
import type { OptionalStep } from "./step-table.ts";

const context = {} as PipelineContext;
const settings = (toolMode: "proxy" | "dynamic"): WorkbenchSettings =>
  ({
    toolMode,
    audit: {},
    results: { limit: "off" },
    toolboxes: new Map(),
    scripts: {},
  }) as unknown as WorkbenchSettings;
const call = {} as ClientCall;
const next = (): Promise<ReturnType<typeof textResult>> => Promise.resolve(textResult("sent"));

function optional(load: () => Promise<Step>): OptionalStep {
  return { name: "test", isUsed: ({ toolMode }) => toolMode === "dynamic", load };
}

describe("the pipeline of calls", () => {
  it("has no steps if the configuration uses none", () => {
    const pipeline = new CallPipeline(context, [], {}, [
      optional(() => Promise.reject(new Error())),
    ]);
    pipeline.configure(settings("proxy"));
    expect(pipeline.steps).toEqual([]);
  });

  it("loads a step once, for the first call, and keeps it when the configuration changes", async () => {
    let loads = 0;
    const table = [
      optional(() => {
        loads++;
        return Promise.resolve((_, pass) => pass());
      }),
    ];
    const pipeline = new CallPipeline(context, [], {}, table);
    pipeline.configure(settings("dynamic"));
    expect(loads).toBe(0);
    const [step] = pipeline.steps;
    await Promise.all([step?.(call, next), step?.(call, next)]);
    expect(loads).toBe(1);
    pipeline.configure(settings("proxy"));
    expect(pipeline.steps).toEqual([]);
    pipeline.configure(settings("dynamic"));
    expect(pipeline.steps).toEqual([step]);
  });

  it("fails a call whose step cannot be loaded, and tries again for the next call", async () => {
    let loads = 0;
    const table = [
      optional(() => {
        loads++;
        if (loads === 1) return Promise.reject(new Error("disk error"));
        return Promise.resolve((_, pass) => pass());
      }),
    ];
    const pipeline = new CallPipeline(context, [], {}, table);
    pipeline.configure(settings("dynamic"));
    const [step] = pipeline.steps;
    await expect(step?.(call, next)).rejects.toThrow("disk error");
    await expect(step?.(call, next)).resolves.toEqual(textResult("sent"));
  });
});
