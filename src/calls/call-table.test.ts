import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FakeCaller } from "../../test/support/fake-connection.ts";
import { CallTable } from "./call-table.ts";
import { Call } from "./call.ts";

const newCall = (): Call => new Call(new FakeCaller(), "client", "tools/call", "echo", undefined);

type GotAndWanted = [got: unknown, wanted: unknown];

/** A table beside a plain map of what it should hold. */
class Compared {
  readonly table = new CallTable();
  readonly held = new Map<number, Call>();
  given = 0;
  now = 0;

  add(callMs: number): GotAndWanted {
    const call = newCall();
    this.table.add(call, this.now, callMs, 40);
    return this.#kept(call);
  }

  stand(): GotAndWanted {
    const call = newCall();
    this.table.addStream(call);
    return this.#kept(call);
  }

  take(pick: number): GotAndWanted {
    const id = pick % (this.given + 2);
    const wanted = this.held.get(id);
    this.held.delete(id);
    return [
      [this.table.get(id), this.table.take(id)],
      [wanted, wanted],
    ];
  }

  expire(): GotAndWanted {
    const due = [...this.held.values()].filter(
      ({ deadline, totalDeadline }) => Math.min(deadline, totalDeadline) <= this.now,
    );
    for (const { id } of due) this.held.delete(id);
    return [this.table.takeExpired(this.now), due];
  }

  takeAll(): GotAndWanted {
    const wanted = [...this.held.values()];
    this.held.clear();
    return [this.table.takeAll(), wanted];
  }

  #kept(call: Call): GotAndWanted {
    this.held.set(call.id, call);
    return [call.id, ++this.given];
  }
}

/** What is done to a table, with a number to pick a call and one to let time pass. */
const steps = fc.array(
  fc.tuple(
    fc.constantFrom("add" as const, "stand" as const, "take" as const, "expire" as const),
    fc.nat(1000),
    fc.integer({ min: 1, max: 50 }),
  ),
  { maxLength: 50 },
);

describe("CallTable", () => {
  it("holds exactly the calls that were added but not yet taken, and returns each one once", () => {
    fc.assert(
      fc.property(steps, (history) => {
        const compared = new Compared();
        for (const [step, pick, ms] of history) {
          compared.now += ms;
          const [got, wanted] = compared[step](step === "take" ? pick : ms);
          expect(got).toEqual(wanted);
          const held = [...compared.held.values()];
          expect([...compared.table.values()]).toEqual(held);
          expect(compared.table.waiting).toBe(held.filter((call) => !call.isStream).length);
        }
        const [got, wanted] = compared.takeAll();
        expect(got).toEqual(wanted);
        expect([...compared.table.values(), compared.table.waiting]).toEqual([0]);
      }),
      { numRuns: 500 },
    );
  });

  it("sets both deadlines when a call is added", () => {
    const call = newCall();
    new CallTable().add(call, 1000, 50, 200);
    expect(call).toMatchObject({ id: 1, startedAt: 1000, deadline: 1050, totalDeadline: 1200 });
  });

  it("never expires a call that is a long-lived stream", () => {
    const table = new CallTable();
    table.addStream(newCall());
    expect(table.takeExpired(Number.MAX_VALUE)).toEqual([]);
    expect(table.waiting).toBe(0);
  });

  it("finds no call for a value that is not one of its ids", () => {
    const table = new CallTable();
    table.add(newCall(), 0, 1, 1);
    for (const id of ["1", null, undefined, 0, 2, 1.5, Number.NaN, {}])
      expect(table.get(id)).toBeUndefined();
  });
});

describe("Call", () => {
  it.each([
    ["tools/call", "read_file", "tool 'read_file'"],
    ["prompts/get", "greet", "prompts/get 'greet'"],
    ["tools/list", "", "tools/list"],
  ])("describes %s with subject %j in words", (method, subject, words) => {
    expect(new Call(new FakeCaller(), "client", method, subject, undefined).label).toBe(words);
  });
});
