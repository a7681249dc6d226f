/** The same as in `differential-fuzz.test.ts`, with many more messages. */
import { expect, it, vi } from "vitest";
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

const CLIENT_MESSAGES = 130_000;
const SERVER_MESSAGES = 70_000;
const TIMEOUT = { timeout: 1_800_000 };

it(
  `${CLIENT_MESSAGES} messages of clients reach servers as they were checked`,
  TIMEOUT,
  async () => {
    const { findings, ...counts } = await fuzzClients(SEED, CLIENT_MESSAGES);
    console.log("messages of clients", counts);
    expect(findings).toEqual({});
  },
);

it(`${SERVER_MESSAGES} messages of servers are answers to their own calls`, TIMEOUT, async () => {
  const { findings, ...counts } = await fuzzServers(SEED, SERVER_MESSAGES);
  console.log("messages of servers", counts);
  expect(findings).toEqual({});
});
