/** Thousands of messages that readers may understand differently. `npm run test:full` sends more. */
import { describe, expect, it, vi } from "vitest";
import { SEED } from "../support/seed.ts";
import { fuzzClients, fuzzServers } from "./fuzz/run.ts";

vi.mock("../../src/servers/transport/open-channel.ts", async () => {
  const { openRecording } = await import("./fuzz/recording-server.ts");
  return { openChannel: openRecording };
});
vi.mock(import("../../src/wire/plain-messages.ts"), async (original) => {
  const { switchable } = await import("./fuzz/lanes.ts");
  const actual = await original();
  return {
    ...actual,
    readPlainCall: switchable(actual.readPlainCall),
    readPlainAnswer: switchable(actual.readPlainAnswer),
  };
});
vi.mock(import("../../src/wire/response-id.ts"), async (original) => {
  const { switchable } = await import("./fuzz/lanes.ts");
  const actual = await original();
  return { ...actual, locateId: switchable(actual.locateId) };
});

const CLIENT_MESSAGES = 3000;
const SERVER_MESSAGES = 2000;

describe(`messages that readers may understand differently, seed ${SEED}`, () => {
  it(`${CLIENT_MESSAGES} of clients reach servers as they were checked`, async () => {
    const { findings, ...counts } = await fuzzClients(SEED, CLIENT_MESSAGES);
    console.log("messages of clients", counts);
    expect(findings).toEqual({});
    // The fast path is the rarest: with 20 seeds, 502 on average, with a standard deviation of 19.
    expect(Math.min(counts.validJson, counts.quick, counts.passedOn)).toBeGreaterThan(100);
  });

  it(`${SERVER_MESSAGES} of servers reach clients as answers to their own calls`, async () => {
    const { findings, ...counts } = await fuzzServers(SEED, SERVER_MESSAGES);
    console.log("messages of servers", counts);
    expect(findings).toEqual({});
    // The fast path is the rarest: with 20 seeds, 1040 on average, with a standard deviation of 24.
    expect(Math.min(counts.validJson, counts.quick, counts.passedOn)).toBeGreaterThan(100);
  });
});
