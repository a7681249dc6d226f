import { describe, expect, it } from "vitest";
import { KeptEvents, SessionEvents } from "./kept-events.ts";
import { NumberedEvents, placeOf, textOf } from "./numbered-events.ts";

const newEvents = (hasStart = true): NumberedEvents =>
  new NumberedEvents(new SessionEvents(new KeptEvents()), { prefix: "ab-3-", stream: 3, hasStart });

describe("the events of a stream", () => {
  it("have consecutive ids that name their place", () => {
    const events = newEvents();
    expect(events.next("{}")).toBe("id: ab-3-1\ndata: {}\n\n");
    expect(textOf(events.answer("7", ['{"id"', Buffer.from(":7}")]))).toBe(
      'id: ab-3-2\ndata: {"id":7}\n\n',
    );
    expect(events.after(1)).toEqual(['id: ab-3-2\ndata: {"id":7}\n\n']);
    expect(placeOf("ab-3-2", "ab")).toEqual({ stream: 3, number: 2 });
  });

  it.each(["ac-3-2", "ab-3", "ab-3-2-1", "ab-3-x", "", "ab-3-99999999999999999999", "ab-3-2\n"])(
    "do not have the id %j",
    (id) => expect(placeOf(id, "ab")).toBeUndefined(),
  );

  it("start with an id only for clients that can read it", () => {
    expect(newEvents().start()).toEqual(["id: ab-3-0\ndata: \n\n"]);
    expect(newEvents(false).start()).toEqual([]);
  });

  it("are known to the client once it may have received an id", () => {
    const [started, silent] = [newEvents(), newEvents(false)];
    expect(started.isKnown).toBe(false);
    started.start();
    silent.start();
    expect([started.isKnown, silent.isKnown]).toEqual([true, false]);
    silent.next("{}");
    expect(silent.isKnown).toBe(true);
  });

  it("have an error in place of an answer that is too large to be kept", () => {
    const events = newEvents();
    const large = Buffer.alloc(200_000, "x");
    expect(textOf(events.answer('"a"', [large]))).toContain(large.toString());
    const [kept, ...more] = events.after(0);
    expect(more).toEqual([]);
    expect(kept).toMatch(
      /^id: ab-3-1\ndata: \{"jsonrpc":"2\.0","id":"a","error":.*may have taken effect/,
    );
  });

  it("are not kept if they are too large", () => {
    const events = newEvents();
    events.next("x".repeat(200_000));
    events.answer(JSON.stringify("i".repeat(200_000)), [Buffer.alloc(200_000, "x")]);
    expect(events.after(0)).toEqual([]);
  });
});
