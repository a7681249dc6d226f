import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  FakeConnection,
  type Message,
  settingsWith,
} from "../../../test/support/fake-connection.ts";
import type { Protocol } from "../../config/types.ts";
import { type Era, clientProfile } from "../../protocol/client-profile.ts";
import { envelopeOf } from "../../protocol/envelope.ts";
import { type ServerHello, NOT_CONNECTED } from "./server-hello.ts";
import { negotiate } from "./handshake.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const legacyHello = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
  instructions: "be kind",
};
const modernHello = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "2" } },
};

/** What a server does with a request it is sent. */
type Reaction = (fake: FakeConnection, id: unknown) => void;

const answers =
  (result: object): Reaction =>
  (fake, id) =>
    fake.answer(id, result);
const refuses: Reaction = (fake, id) => fake.refuse(id);
const ignores: Reaction = () => {};
const dies: Reaction = (fake) => fake.connection.input.onLost("it exited with code 1");
const later =
  (ms: number, reaction: Reaction): Reaction =>
  (fake, id) =>
    void setTimeout(() => reaction(fake, id), ms);

interface Behaviour {
  readonly initialize: Reaction;
  readonly discover: Reaction;
}

const SERVERS = {
  "legacy, refusing unknown requests": {
    initialize: answers(legacyHello),
    discover: refuses,
  },
  "legacy, ignoring unknown requests": {
    initialize: answers(legacyHello),
    discover: ignores,
  },
  "legacy, exiting on unknown requests": { initialize: answers(legacyHello), discover: dies },
  "modern, refusing unknown requests": { initialize: refuses, discover: answers(modernHello) },
  "modern, ignoring unknown requests": { initialize: ignores, discover: answers(modernHello) },
  both: { initialize: answers(legacyHello), discover: answers(modernHello) },
  neither: { initialize: refuses, discover: refuses },
} satisfies Record<string, Behaviour>;

type Outcome = Era | "fails" | "waits";

function serverLike({ initialize, discover }: Behaviour): FakeConnection {
  const fake = new FakeConnection();
  fake.connection.hello = NOT_CONNECTED;
  fake.channel.onSend = ({ method, id }: Message) => {
    // Not in the same turn: a real server takes its time.
    if (method === "initialize") setTimeout(() => initialize(fake, id), 5);
    if (method === "server/discover") setTimeout(() => discover(fake, id), 5);
  };
  return fake;
}

async function negotiated(
  fake: FakeConnection,
  era: Era,
  protocol: Protocol = "auto",
  known?: Era,
): Promise<ServerHello | Error | "waits"> {
  const client = clientProfile(era, { roots: {} }, { name: "c", version: "1" });
  let outcome: ServerHello | Error | "waits" = "waits";
  negotiate(fake.connection, client, protocol, known).then(
    (hello) => {
      outcome = hello;
    },
    (error: Error) => {
      outcome = error;
    },
  );
  // Less than the time-out of a call, so that what is never answered stays open.
  await vi.advanceTimersByTimeAsync(10_000);
  return outcome;
}

function kindOf(outcome: ServerHello | Error | "waits"): Outcome {
  if (outcome === "waits") return "waits";
  return outcome instanceof Error ? "fails" : outcome.era;
}

const asked = (fake: FakeConnection): unknown[] =>
  fake.channel.sent.map(({ method }) => method).filter((method) => method !== undefined);

describe("negotiate", () => {
  const table: [client: Era, server: keyof typeof SERVERS, Outcome][] = [
    ["legacy", "legacy, refusing unknown requests", "legacy"],
    ["legacy", "legacy, ignoring unknown requests", "legacy"],
    ["legacy", "legacy, exiting on unknown requests", "legacy"],
    ["legacy", "modern, refusing unknown requests", "modern"],
    ["legacy", "modern, ignoring unknown requests", "modern"],
    ["legacy", "both", "legacy"],
    ["legacy", "neither", "fails"],
    ["modern", "legacy, refusing unknown requests", "legacy"],
    ["modern", "legacy, ignoring unknown requests", "legacy"],
    ["modern", "legacy, exiting on unknown requests", "fails"],
    ["modern", "modern, refusing unknown requests", "modern"],
    ["modern", "modern, ignoring unknown requests", "modern"],
    ["modern", "both", "modern"],
    ["modern", "neither", "fails"],
  ];

  it.each(table)(
    "for a %s client and a server that is %s, has the outcome: %s",
    async (era, server, outcome) => {
      const fake = serverLike(SERVERS[server]);
      expect(kindOf(await negotiated(fake, era))).toBe(outcome);
    },
  );

  it.each(table)(
    "over HTTP, for a %s client and a server that is %s, sends one request at a time",
    async (era, server) => {
      const fake = serverLike(SERVERS[server]);
      fake.channel.refusesUnknown = true;
      await negotiated(fake, era);
      const first = era === "legacy" ? "initialize" : "server/discover";
      expect(asked(fake)[0]).toBe(first);
      expect(fake.connection.calls.waiting).toBeLessThanOrEqual(1);
    },
  );

  it.each<[Protocol, Era | undefined, string]>([
    ["2025-11-25", undefined, "initialize"],
    ["2025-11-25", "modern", "initialize"],
    ["2026-07-28", undefined, "server/discover"],
    ["2026-07-28", "legacy", "server/discover"],
    ["auto", "legacy", "initialize"],
    ["auto", "modern", "server/discover"],
  ])("with protocol %s and known era %s sends only %s", async (protocol, known, method) => {
    for (const era of ["legacy", "modern"] as const) {
      const fake = serverLike(SERVERS.both);
      await negotiated(fake, era, protocol, known);
      expect(asked(fake).filter((each) => each !== "notifications/initialized")).toEqual([method]);
    }
  });

  it("does not fall back from a pinned protocol to another", async () => {
    const modern = serverLike(SERVERS["modern, refusing unknown requests"]);
    expect(kindOf(await negotiated(modern, "modern", "2025-11-25"))).toBe("fails");
    const legacy = serverLike(SERVERS["legacy, refusing unknown requests"]);
    expect(kindOf(await negotiated(legacy, "legacy", "2026-07-28"))).toBe("fails");
  });
});

describe("the handshake with a legacy server", () => {
  it("sends the client's capabilities, and notifications/initialized at the end", async () => {
    const fake = serverLike(SERVERS["legacy, refusing unknown requests"]);
    const hello = await negotiated(fake, "legacy");
    expect(hello).toEqual({
      era: "legacy",
      protocolVersion: "2025-06-18",
      capabilities: legacyHello.capabilities,
      serverInfo: legacyHello.serverInfo,
      instructions: "be kind",
      raw: legacyHello,
    });
    expect(fake.channel.sent).toMatchObject([
      {
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: { roots: {} },
          clientInfo: { name: "c", version: "1" },
        },
      },
      { method: "notifications/initialized" },
    ]);
    expect(fake.channel.agreed).toEqual([["legacy", "2025-06-18"]]);
    expect(fake.connection.envelope).toBeUndefined();
  });

  it.each([["2023-01-01"], ["2026-07-28"], [undefined], [7]])(
    "fails if the server answers with protocol version %j",
    async (protocolVersion) => {
      const fake = serverLike({
        initialize: answers({ ...legacyHello, protocolVersion }),
        discover: refuses,
      });
      const outcome = await negotiated(fake, "legacy");
      expect(outcome).toMatchObject({
        message: `it speaks protocol version ${JSON.stringify(protocolVersion)}, which is not supported`,
      });
      expect(asked(fake)).not.toContain("notifications/initialized");
    },
  );

  it("does not wait for an unanswered server/discover, and leaves no request pending", async () => {
    const fake = serverLike(SERVERS["legacy, ignoring unknown requests"]);
    await negotiated(fake, "modern");
    expect(asked(fake)).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "notifications/cancelled",
    ]);
    expect(fake.connection.calls.waiting).toBe(0);
  });

  it("ignores an answer to server/discover that comes after the fallback", async () => {
    const fake = serverLike({
      initialize: answers(legacyHello),
      discover: later(2000, answers(modernHello)),
    });
    expect(kindOf(await negotiated(fake, "modern"))).toBe("legacy");
    expect(fake.channel.agreed).toEqual([["legacy", "2025-06-18"]]);
    expect(fake.connection.envelope).toBeUndefined();
  });

  it("succeeds if the server is slow to start and was sent server/discover in the meantime", async () => {
    for (const discover of [refuses, ignores]) {
      const slow = later(9000, answers(legacyHello));
      const fake = serverLike({ initialize: slow, discover: later(1100, discover) });
      expect(kindOf(await negotiated(fake, "legacy"))).toBe("legacy");
      expect(fake.channel.agreed).toEqual([["legacy", "2025-06-18"]]);
      expect(fake.connection.calls.waiting).toBe(0);
    }
  });

  it("tolerates malformed capabilities, server info and instructions", async () => {
    const odd = {
      protocolVersion: "2024-11-05",
      capabilities: [],
      serverInfo: "x",
      instructions: 7,
    };
    const fake = serverLike({ initialize: answers(odd), discover: refuses });
    expect(await negotiated(fake, "legacy")).toMatchObject({
      capabilities: {},
      serverInfo: {},
      instructions: undefined,
    });
  });
});

describe("the handshake with a modern server", () => {
  it("sends the client's envelope, which the connection then adds to every request", async () => {
    const fake = serverLike(SERVERS["modern, refusing unknown requests"]);
    const hello = await negotiated(fake, "modern");
    expect(hello).toMatchObject({
      era: "modern",
      protocolVersion: "2026-07-28",
      serverInfo: { name: "new", version: "2" },
    });
    const us = clientProfile("modern", {}, { name: "c", version: "1" });
    expect(fake.channel.of("server/discover")).toMatchObject([
      { params: { _meta: envelopeOf(us) } },
    ]);
    expect(fake.connection.envelope).toEqual(envelopeOf(us));
    expect(fake.channel.agreed).toEqual([["modern", "2026-07-28"]]);
    expect(asked(fake)).not.toContain("notifications/initialized");
  });

  it("sends server/discover if initialize is not answered, and leaves no request pending", async () => {
    const fake = serverLike(SERVERS["modern, ignoring unknown requests"]);
    await negotiated(fake, "legacy");
    expect(asked(fake)).toEqual(["initialize", "server/discover", "notifications/cancelled"]);
    expect(fake.connection.calls.waiting).toBe(0);
  });

  it.each(["legacy", "modern"] as const)(
    "is not bound by the time limit of a call (%s server)",
    async (era) => {
      const fake = serverLike({
        initialize: era === "legacy" ? later(5000, answers(legacyHello)) : refuses,
        discover: era === "modern" ? later(5000, answers(modernHello)) : refuses,
      });
      fake.settings = settingsWith({ timeouts: { callMs: 100 } });
      expect(kindOf(await negotiated(fake, era))).toBe(era);
    },
  );

  it("waits for server/discover even if initialize was refused earlier", async () => {
    const fake = serverLike({
      initialize: refuses,
      discover: later(3000, answers(modernHello)),
    });
    expect(kindOf(await negotiated(fake, "modern"))).toBe("modern");
  });

  it("falls back to legacy if the server's modern version is unknown, and fails if it has no other", async () => {
    const other = { ...modernHello, supportedVersions: ["2027-01-01"] };
    const both = serverLike({ initialize: answers(legacyHello), discover: answers(other) });
    expect(kindOf(await negotiated(both, "modern"))).toBe("legacy");
    const only = serverLike({ initialize: refuses, discover: answers(other) });
    expect(kindOf(await negotiated(only, "modern"))).toBe("fails");
  });
});
