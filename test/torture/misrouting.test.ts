import { describe, expect, it } from "vitest";
import { converseAll } from "./misrouting.ts";

const CLIENTS = 10;
const CALLS = 100;

describe(`${CLIENTS} clients with equal request ids`, () => {
  it(`each get their own answers to ${CALLS} calls`, { timeout: 300_000 }, async () => {
    expect(await converseAll(CLIENTS, CALLS)).toEqual({ right: CLIENTS * CALLS, wrong: [] });
  });
});
