import {
  type IncomingMessage,
  type ServerResponse,
  createServer,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { FakeCluster } from "../../../test/support/fake-cluster.ts";
import { type Forwarded, forward } from "./forward.ts";
import { PeerClient } from "./peer-client.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const EVENTS = { "content-type": "text/event-stream" };
const call = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t"}}`;
const answerTo = (id: string): string => `data: {"jsonrpc":"2.0","id":${id},"result":{}}\n\n`;
const PROGRESS = 'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n';
const LOST = /may or may not have taken effect/;

/** The replica that owns the session, and the one that its client is connected to. */
const owner = createServer();
const front = createServer();
const peers = new PeerClient(new FakeCluster().link());
const addressOf = (server: typeof owner): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeAll(async () => {
  for (const server of [owner, front])
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  peers.close();
  for (const server of [owner, front]) {
    server.close();
    server.closeAllConnections();
  }
});

interface Exchange {
  readonly outcome: Promise<Forwarded>;
  readonly response: Promise<IncomingMessage>;
  /** What the client gets, if it reads everything. */
  readonly text: Promise<string>;
  giveUp(): void;
}

/** Sends a request through a replica to the owner of its session. */
function exchange(body: string, handle: Handle): Exchange {
  let giveUp = (): void => {};
  owner.removeAllListeners("request").on("request", handle);
  const outcome = new Promise<Forwarded>((resolve) =>
    front.once("request", (request, response) => {
      const onStarted = (own: () => void): void => void (giveUp = own);
      const peer = { id: "owner", address: addressOf(owner) };
      const options = { body: Buffer.from(body), onStarted };
      void forward(peers, peer, request, response, options).then(resolve);
    }),
  );
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(addressOf(front), { method: "POST", agent: false }, resolve);
    sent.on("error", reject);
    sent.end();
  });
  const text = response.then(async (answer) => {
    let all = "";
    for await (const chunk of answer.setEncoding("utf8")) all += String(chunk);
    return all;
  });
  return { outcome, response, text, giveUp: () => giveUp() };
}

const messagesIn = (text: string): { id?: unknown; error?: { message: string } }[] =>
  Array.from(text.matchAll(/^data: (.+)$/gm), ([, data]) => JSON.parse(String(data)));

describe("an answer of another replica", () => {
  it("is passed on with its status, headers and bytes", async () => {
    const got = exchange(call("1"), (_request, response) =>
      response.writeHead(201, { "x-own": "yes", "content-type": "application/json" }).end("{ }"),
    );
    const { statusCode, headers } = await got.response;
    expect([statusCode, headers["x-own"], await got.text]).toEqual([201, "yes", "{ }"]);
    expect(await got.outcome).toBe("answered");
  });

  it("is an error if the connection is lost in the middle of it", async () => {
    const got = exchange(call("12345678901234567890"), (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 99 });
      response.write('{"jsonrpc"', () => response.destroy());
    });
    expect(await got.text).toMatch(/^\{"jsonrpc":"2\.0","id":12345678901234567890,"error":/);
    expect(await got.text).toMatch(LOST);
  });
});

describe("an event stream of another replica", () => {
  it("ends with an error if it is lost in the middle of an event", async () => {
    const got = exchange(call("1"), (_request, response) => {
      response.writeHead(200, EVENTS).write(PROGRESS);
      response.write(`data: {"jsonrpc":"2.0","id":1,"result":"${"x".repeat(100_000)}`, () =>
        response.destroy(),
      );
    });
    const text = await got.text;
    expect(text.startsWith(PROGRESS)).toBe(true);
    expect(messagesIn(text.slice(PROGRESS.length))).toMatchObject([
      { id: 1, error: { message: expect.stringMatching(LOST) } },
    ]);
  });

  it("ends with errors only for the requests of a batch that are not answered", async () => {
    const got = exchange(`[${call("1")},${call('"b"')},${call("3")}]`, (_request, response) => {
      response.writeHead(200, EVENTS).write(answerTo('"b"'), () => response.destroy());
    });
    const [, ...errors] = messagesIn(await got.text);
    expect(errors.map(({ id, error }) => [id, error !== undefined])).toEqual([
      [1, true],
      [3, true],
    ]);
  });

  it("ends with an error if the replica hangs", async () => {
    const got = exchange(call("1"), (_request, response) => {
      response.writeHead(200, EVENTS).write(PROGRESS);
    });
    await got.response;
    got.giveUp();
    expect(await got.outcome).toBe("answered");
    expect(await got.text).toMatch(LOST);
  });
});

describe("a replica to which there is no connection", () => {
  it("got nothing if both sides cannot agree on TLS, and is reported once", async () => {
    const reported: string[] = [];
    const tls = new PeerClient(new FakeCluster().link(), (_peer, reason) => reported.push(reason));
    const peer = { id: "owner", address: addressOf(owner).replace("http:", "https:") };
    const outcomes: Forwarded[] = [];
    for (let i = 0; i < 2; i++) {
      front.once("request", (request, response) => {
        const options = { body: Buffer.from(call("1")), onStarted: () => {} };
        void forward(tls, peer, request, response, options).then((outcome) => {
          outcomes.push(outcome);
          response.end("another replica");
        });
      });
      expect(await (await fetch(addressOf(front), { method: "POST" })).text()).toBe(
        "another replica",
      );
    }
    tls.close();
    expect(outcomes).toEqual(["gone", "gone"]);
    expect(reported).toEqual([expect.stringMatching(/SSL|TLS/i)]);
  });
});
