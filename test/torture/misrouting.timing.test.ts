/** 100,000 calls, which keep every core busy: beside other tests, both would run into time limits. */
import { describe, expect, it } from "vitest";
import { converseAll } from "./misrouting.ts";

const CLIENTS = 100;
const CALLS = 1000;

describe(`${CLIENTS} clients with equal request ids`, () => {
  it(`each get their own answers to ${CALLS} calls`, { timeout: 300_000 }, async () => {
    expect(await converseAll(CLIENTS, CALLS)).toEqual({ right: CLIENTS * CALLS, wrong: [] });
  });
});
