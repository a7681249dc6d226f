import { type ServerResponse as HttpResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connections } from "./connections.ts";
import { textOf } from "./numbered-events.ts";
import { SessionStreams } from "./session-streams.ts";

const connections = new Connections(2 ** 30);
const server = createServer();
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  connections.keepAlive.stop();
  server.close();
  server.closeAllConnections();
});

function newStreams(): SessionStreams {
  const streams = new SessionStreams(connections, () => {});
  streams.setVersion("2025-11-25");
  return streams;
}

/** What a client gets if `act` is all that happens to the stream it opens. */
async function read(
  streams: SessionStreams,
  lastId: string | undefined,
  act: () => void = () => {},
): Promise<{ status: number; text: string }> {
  server.once("request", (_request, response: HttpResponse) => {
    streams.open(response, lastId);
    act();
    streams.end();
  });
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

describe("the streams of a session that another replica continues", () => {
  it("go on after the last event, with what was not sent", async () => {
    const before = newStreams();
    const first = await read(before, undefined, () => {
      before.sendUnsolicited('"one"');
      before.sendUnsolicited('"two"');
    });
    const [, start = "", one = ""] =
      /^id: (\S+-0)\ndata: \n\nid: (\S+)\ndata: "one"/.exec(first.text) ?? [];
    before.sendUnsolicited('"three"');
    const after = newStreams();
    after.restore(JSON.parse(JSON.stringify(before.state)));
    const rest = await read(after, one, () => after.sendUnsolicited('"four"'));
    const number = (n: number): string => start.replace(/0$/, String(n));
    expect(rest.text).toBe(
      ["two", "three", "four"]
        .map((text, i) => `id: ${number(i + 2)}\ndata: "${text}"\n\n`)
        .join(""),
    );
  });

  it("are not handed over if none was opened", () => {
    expect(newStreams().state).toBeUndefined();
  });

  it("are handed over without large messages, up to a maximum size", async () => {
    const before = newStreams();
    await read(before, undefined, () => {
      before.sendUnsolicited(JSON.stringify("x".repeat(20_000)));
      for (let i = 0; i < 20; i++)
        before.sendUnsolicited(JSON.stringify(`${i} ${"x".repeat(10_000)}`));
    });
    const events = before.state?.events ?? [];
    expect(events.map(([, number]) => number)).toEqual([16, 17, 18, 19, 20, 21]);
    expect(JSON.stringify(before.state).length).toBeLessThan(70_000);
  });
});

describe("the streams of a session whose replica was lost", () => {
  const newNamed = (): SessionStreams => {
    const streams = new SessionStreams(connections, () => {}, { namesRequests: true });
    streams.setVersion("2025-11-25");
    return streams;
  };
  const idsIn = (text: string): string[] =>
    Array.from(text.matchAll(/^id: (\S+)$/gm), ([, id]) => id as string);
  const dataIn = (text: string): string[] =>
    Array.from(text.matchAll(/^data: (.+)$/gm), ([, data]) => data as string);
  const reply = { resume: () => {} };

  it("name the requests without an answer, which get an error on another replica", async () => {
    const events = newNamed().openReply(reply, ["12345678901234567890", '"a"', "3"]);
    const [afterNone = ""] = idsIn(events.next('"progress"'));
    const [afterOne = ""] = idsIn(textOf(events.answer('"a"', ['{"id":"a"}'])));
    const { status, text } = await read(newNamed(), afterOne);
    expect(status).toBe(200);
    expect(dataIn(text)).toEqual([
      expect.stringMatching(/"id":12345678901234567890,"error".*may or may not have taken effect/),
      expect.stringContaining('"id":3,"error"'),
    ]);
    expect(dataIn((await read(newNamed(), afterNone)).text)).toHaveLength(3);
    // A client that connects again gets only what it has not received.
    const [first = "", second = ""] = idsIn(text);
    expect(dataIn((await read(newNamed(), first)).text)).toEqual(dataIn(text).slice(1));
    expect(await read(newNamed(), second)).toEqual({ status: 204, text: "" });
  });

  it("report errors even if the client has opened a new one", async () => {
    const [id] = idsIn(newNamed().openReply(reply, ["1"]).next("{}"));
    const after = newNamed();
    await read(after, undefined);
    server.once("request", (_request, response: HttpResponse) => after.open(response, undefined));
    const listening = await fetch(url);
    expect(dataIn((await read(after, id)).text)).toHaveLength(1);
    await listening.body?.cancel();
  });

  it("say the same after a handover in which a call was cut off", async () => {
    const before = newNamed();
    const cut = before.openReply(reply, ["1"]);
    const answered = before.openReply(reply, ["2"]);
    const [cutId] = idsIn(cut.next('"one"'));
    cut.next('"two"');
    const [answeredId] = idsIn(answered.next('"three"'));
    answered.answer("2", ['"answer"']);
    const after = newNamed();
    after.restore(JSON.parse(JSON.stringify(before.state)));
    expect(dataIn((await read(after, cutId)).text)).toEqual([
      '"two"',
      expect.stringContaining('"id":1,"error"'),
    ]);
    expect(dataIn((await read(after, answeredId)).text)).toEqual(['"answer"']);
    // A stream of this replica that has ended without an answer was cancelled.
    const own = after.openReply(reply, ["3"]);
    const [ownId] = idsIn(own.start().join(""));
    after.closeReply(own);
    expect((await read(after, ownId)).status).toBe(204);
  });

  it("are not confused by other ids", async () => {
    const before = newNamed();
    const [id = ""] = idsIn(before.openReply(reply, ["1"]).next("{}"));
    const own = await read(before, undefined, () => before.sendUnsolicited('"one"'));
    const long = before.openReply(reply, [JSON.stringify("x".repeat(300))]).next("{}");
    const odd = ["1-1-1.e30", "1-1-1.W3t9XQ", "1-1-1.W251bGxd", `1-1-1.${"A".repeat(999)}`];
    for (const each of [`${id}!`, idsIn(own.text).at(-1), ...idsIn(long), ...odd])
      expect(dataIn((await read(newNamed(), each)).text)).toEqual([]);
  });
});
