import { describe, expect, it } from "vitest";
import { Ledger } from "./ledger.ts";

const request = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const cancelled = (id: number): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;

describe("the expected answers of a fuzzed client", () => {
  it("are owed once for each request, and nothing else is", () => {
    const ledger = new Ledger();
    ledger.sent(request(1));
    expect(ledger.unanswered).toEqual(["number:1"]);
    expect(ledger.received(1)).toBeUndefined();
    expect(ledger.unanswered).toEqual([]);
    expect(ledger.received(1)).toMatch(/more than one answer to 1/);
    expect(ledger.received(2)).toMatch(/2, which was never asked/);
    ledger.settle();
    expect(ledger.received(1)).toMatch(/never asked/);
  });

  it("may come late for a request that was cancelled, and then only once", () => {
    const ledger = new Ledger();
    ledger.sent(request(1));
    ledger.sent(cancelled(1));
    expect(ledger.unanswered).toEqual([]);
    ledger.settle();
    expect(ledger.received(1)).toBeUndefined();
    expect(ledger.received(1)).toMatch(/more than one answer/);
  });
});
