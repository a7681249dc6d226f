import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { PendingInput } from "./pending-input.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTES = 60_000;

/** Something that can be parked and counts how often it was given up. */
class Parked {
  abandoned = 0;

  abandon(): void {
    this.abandoned++;
  }
}

describe("the calls that wait for input", () => {
  it("are returned once, for their ticket", () => {
    const parking = new PendingInput<Parked>();
    const [a, b] = [new Parked(), new Parked()];
    const tickets = [parking.park(a), parking.park(b)] as const;
    expect(parking.fetch(tickets[1])).toBe(b);
    expect(parking.fetch(tickets[0])).toBe(a);
    expect(parking.fetch(tickets[0])).toBeUndefined();
    expect([a.abandoned, b.abandoned]).toEqual([0, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("have tickets that cannot be guessed, and are recognised", () => {
    const parking = new PendingInput<Parked>();
    const tickets = Array.from({ length: 100 }, () => parking.park(new Parked()));
    expect(new Set(tickets).size).toBe(100);
    for (const ticket of tickets) expect(ticket).toMatch(/^workbench-[0-9a-f-]{36}-[0-9a-f-]{36}$/);
    expect(tickets.every((ticket) => parking.issued(ticket))).toBe(true);
    const another = new PendingInput<Parked>().park(new Parked());
    for (const foreign of ["state of a server", another, "", undefined, null, 7, {}])
      expect(parking.issued(foreign)).toBe(false);
    expect(parking.fetch(another)).toBeUndefined();
  });

  it("are kept if the caller with the ticket does not match", () => {
    const parking = new PendingInput<Parked>();
    const item = new Parked();
    const ticket = parking.park(item);
    expect(parking.fetch(ticket, () => false)).toBeUndefined();
    expect(parking.fetch(ticket, (parked) => parked === item)).toBe(item);
  });

  it("are abandoned if they are not fetched in time", () => {
    const parking = new PendingInput<Parked>();
    const item = new Parked();
    const ticket = parking.park(item);
    vi.advanceTimersByTime(10 * MINUTES - 1);
    expect(item.abandoned).toBe(0);
    vi.advanceTimersByTime(1);
    expect(item.abandoned).toBe(1);
    expect(parking.fetch(ticket)).toBeUndefined();
  });

  it("are abandoned beyond the maximum number, oldest first", () => {
    const parking = new PendingInput<Parked>();
    const items = Array.from({ length: 1001 }, () => new Parked());
    for (const item of items) parking.park(item);
    expect(items.map(({ abandoned }) => abandoned)).toEqual([1, ...Array<number>(1000).fill(0)]);
  });

  it("are abandoned once at the end", () => {
    const parking = new PendingInput<Parked>();
    const items = Array.from({ length: 5 }, () => new Parked());
    for (const item of items) parking.park(item);
    parking.close();
    parking.close();
    vi.advanceTimersByTime(60 * MINUTES);
    expect(items.map(({ abandoned }) => abandoned)).toEqual([1, 1, 1, 1, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
