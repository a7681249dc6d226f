import { describe, expect, it } from "vitest";
import type { Page } from "../../contract.ts";
import { PagedList, rowsInView } from "./paged-list.ts";

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("the rows in view", () => {
  it("are those of the window and a few around it, never outside of the list", () => {
    const view = (top: number) => ({ top, height: 600, rowHeight: 60 });
    expect(rowsInView(view(0), 5000)).toEqual({ first: 0, end: 16 });
    expect(rowsInView(view(6000), 5000)).toEqual({ first: 94, end: 116 });
    expect(rowsInView(view(299_400), 5000)).toEqual({ first: 4984, end: 5000 });
    expect(rowsInView(view(299_400), 3)).toEqual({ first: 0, end: 3 });
    expect(rowsInView(view(0), 0)).toEqual({ first: 0, end: 0 });
  });
});

describe("a list of pages", () => {
  function started(total = 1000) {
    const loads: number[] = [];
    let failure: Error | undefined;
    let changes = 0;
    const load = async (offset: number): Promise<Page<number>> => {
      loads.push(offset);
      if (failure !== undefined) throw failure;
      return { items: Array.from({ length: 100 }, (_, i) => offset + i), total, offset };
    };
    const list = new PagedList<number>({ size: 100, load, onChange: () => changes++ });
    return {
      list,
      loads,
      changes: () => changes,
      fail: (error?: Error) => (failure = error),
    };
  }

  it("loads the pages in view, each once", async () => {
    const { list, loads } = started();
    list.need(0, 20);
    list.need(0, 30);
    await settled();
    list.need(90, 110);
    await settled();
    expect(loads).toEqual([0, 100]);
    expect([list.at(5), list.at(105), list.at(205)]).toEqual([5, 105, undefined]);
    expect(list.latest?.total).toBe(1000);
  });

  it("loads what is in view again after a change, and forgets the rest", async () => {
    const { list, loads } = started();
    list.need(0, 20);
    await settled();
    list.need(500, 520);
    await settled();
    list.refresh();
    expect(list.at(505)).toBe(505);
    expect(list.at(5)).toBeUndefined();
    await settled();
    expect(loads).toEqual([0, 500, 500]);
  });

  it("reports a failure and tries again", async () => {
    const { list, loads, fail } = started();
    fail(new Error("no"));
    list.need(0, 20);
    await settled();
    expect(list.problem?.message).toBe("no");
    fail();
    list.need(0, 20);
    await settled();
    expect([list.problem, list.at(0), loads]).toEqual([undefined, 0, [0, 0]]);
  });

  it("reports nothing after it was closed", async () => {
    const { list, changes } = started();
    list.need(0, 20);
    list.close();
    await settled();
    expect([changes(), list.at(0)]).toEqual([0, undefined]);
  });
});
