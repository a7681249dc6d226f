import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { WholeEvents } from "./whole-events.ts";

const EVENTS = [
  "id: 1\ndata: {}\n\n",
  ":\n\n",
  "retry: 500\n\n",
  'id: 2\ndata: {"text":"\\n\\n→"}\n\n',
];

describe("an event stream that is cut into chunks", () => {
  it("is passed on event by event, wherever it is cut", () => {
    const stream = fc.array(fc.constantFrom(...EVENTS), { maxLength: 6 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200)), fc.nat(20), (events, cuts, missing) => {
        const bytes = Buffer.from(events.join(""));
        // The stream may break in the middle of the last event.
        const length = Math.max(0, bytes.length - missing);
        const at = cuts.filter((cut) => cut < length).toSorted((a, b) => a - b);
        const whole = new WholeEvents();
        const passed = [0, ...at].flatMap((from, i) =>
          whole.take(bytes.subarray(from, at[i] ?? length)),
        );
        const complete: string[] = [];
        for (const event of events)
          if (Buffer.byteLength([...complete, event].join("")) <= length) complete.push(event);
          else break;
        expect(Buffer.concat(passed).toString()).toBe(complete.join(""));
      }),
    );
  });
});
