import { type ServerResponse as HttpResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Line } from "../../wire/lines.ts";
import { errorText, resultText } from "../../wire/messages.ts";
import { type ServerResponse, readServerLine } from "../../wire/response.ts";
import { errorCodeOf, PostReply, type PostReplyOptions } from "./post-reply.ts";
import { KeepAlive } from "./keep-alive.ts";
import { Connections } from "./connections.ts";
import { SessionStreams } from "./session-streams.ts";

const NEVER_MS = 2 ** 30;
const keepAlive = new KeepAlive(NEVER_MS);
const server = createServer();
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  keepAlive.stop();
  server.close();
  server.closeAllConnections();
});

/** What a client gets to read if `act` is what happens about its request. */
async function replied(
  act: (reply: PostReply, response: HttpResponse) => void,
  options: Partial<PostReplyOptions> = {},
) {
  server.once("request", (_request, response) => {
    const accepted = { json: true, events: true };
    const reply = new PostReply(response, { accepted, keepAlive, onDisconnect() {}, ...options });
    act(reply, response);
  });
  const answer = await fetch(url, { method: "POST" });
  const type = answer.headers.get("content-type");
  return { status: answer.status, type, headers: answer.headers, text: await answer.text() };
}

/** An answer of a server, as it arrives. */
function answerOf(text: string): ServerResponse {
  const read = readServerLine(Line.of(text));
  if (read.kind !== "answer") throw new Error(`not an answer: ${text}`);
  return read.response;
}

describe("the response to a POST", () => {
  it("is one JSON message with its length if nothing is sent before the answer", async () => {
    const got = await replied((reply) => reply.reply("1", resultText("1", { é: "→" })));
    expect(got).toMatchObject({ status: 200, type: "application/json" });
    expect(got.text).toBe('{"jsonrpc":"2.0","id":1,"result":{"é":"→"}}');
    expect(got.headers.get("content-length")).toBe(String(Buffer.byteLength(got.text)));
  });

  it("contains the server's bytes with the client's id", async () => {
    const odd = '{"jsonrpc":"2.0", "id":7, "result":{"n":1.0,"big":12345678901234567890}}';
    const got = await replied((reply) => reply.answer('"x"', answerOf(odd)));
    expect(got.text).toBe(odd.replace('"id":7', '"id":"x"'));
  });

  it("becomes an event stream when a message is sent before the answer", async () => {
    const got = await replied((reply) => {
      expect(reply.send("{}")).toBe(true);
      reply.send("{ }");
      reply.reply("1", resultText("1", {}));
    });
    expect(got).toMatchObject({ status: 200, type: "text/event-stream" });
    expect(got.text).toBe(
      'data: {}\n\ndata: { }\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
    );
  });

  it("keeps each message on one line of the event stream", async () => {
    const large = `{"id":7,"result":{"x":"${"y".repeat(20_000)}"}\r,\t"jsonrpc":"2.0"}`;
    const got = await replied((reply) => {
      reply.send('{"a":\r\n1}');
      reply.answer("1", answerOf(large));
    });
    const lines = got.text.split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe('data: {"a":  1}');
    expect(lines[2]).toBe(`data: ${large.replace('"id":7', '"id":1').replace("\r", " ")}`);
  });

  it("is never an event stream for a client that does not accept one", async () => {
    const got = await replied(
      (reply) => {
        expect(reply.send("{}")).toBe(false);
        for (let i = 0; i < 10; i++) reply.ping();
        reply.reply("1", resultText("1", {}));
      },
      { accepted: { json: true, events: false } },
    );
    expect(got.type).toBe("application/json");
  });

  it("is always an event stream for a client that accepts nothing else", async () => {
    const got = await replied((reply) => reply.reply("1", resultText("1", {})), {
      accepted: { json: false, events: true },
    });
    expect(got).toMatchObject({
      type: "text/event-stream",
      text: expect.stringMatching(/^data: /),
    });
  });

  it("becomes an event stream with keep-alives when the answer takes long", async () => {
    const got = await replied((reply, response) => {
      reply.ping();
      expect(response.headersSent).toBe(false);
      reply.ping();
      reply.ping();
      reply.reply("1", resultText("1", {}));
    });
    expect(got.text).toBe(':\n\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  });

  it("reports an error with an HTTP status if one is defined for its code", async () => {
    const options = { statusOf: (code: number) => (code === -32601 ? 404 : 200) };
    const error = { code: -32601, message: "no" };
    const ours = await replied((reply) => reply.reply("1", errorText("1", error)), options);
    expect(ours.status).toBe(404);
    const theirs = await replied(
      (reply) => reply.answer("1", answerOf(errorText("7", error))),
      options,
    );
    expect(theirs).toMatchObject({ status: 404, text: errorText("1", error) });
    const other = { code: -32602, message: "no" };
    const fine = await replied((reply) => reply.reply("1", errorText("1", other)), options);
    expect(fine.status).toBe(200);
    const result = resultText("1", { error: { code: -32601 } });
    expect((await replied((reply) => reply.reply("1", result), options)).status).toBe(200);
  });

  it("sends the answers of a batch one by one", async () => {
    const got = await replied(
      (reply) => {
        reply.reply("2", resultText("2", {}));
        expect(reply.open).toBe(true);
        reply.answer("1", answerOf(resultText("7", {})));
        expect(reply.open).toBe(false);
      },
      { answers: 2 },
    );
    expect(got.text).toBe(`data: ${resultText("2", {})}\n\ndata: ${resultText("1", {})}\n\n`);
  });

  it("contains nothing after the answer", async () => {
    const got = await replied((reply) => {
      reply.reply("1", resultText("1", {}));
      expect(reply.send("{}")).toBe(false);
      reply.reply("1", resultText("1", { second: true }));
      reply.giveUp();
    });
    expect(got.text).toBe(resultText("1", {}));
  });

  it("ends without an answer when the request was cancelled", async () => {
    const got = await replied((reply) => reply.giveUp());
    expect(got).toMatchObject({ type: "text/event-stream", text: "" });
    const json = await replied((reply) => reply.giveUp(), {
      accepted: { json: true, events: false },
    });
    expect(json).toMatchObject({ status: 202, text: "" });
  });

  it("has headers that are decided when it is sent", async () => {
    let id = "early";
    const headers = (): Record<string, string> => ({ "mcp-session-id": id });
    const got = await replied(
      (reply) => {
        id = "late";
        reply.reply("1", resultText("1", {}));
      },
      { headers },
    );
    expect(got.headers.get("mcp-session-id")).toBe("late");
  });

  it("starts with an event id if it becomes a stream without a message", async () => {
    const streams = new SessionStreams(new Connections(NEVER_MS), () => {});
    streams.setVersion("2025-11-25");
    const act = (reply: PostReply): void => {
      reply.ping();
      reply.ping();
      reply.reply("1", "{}");
    };
    const got = await replied(act, { streams });
    expect(got.text).toMatch(/^id: (\w+)-1-0\ndata: \n\nid: \1-1-1\ndata: \{\}\n\n$/);
    streams.setVersion("2025-06-18");
    expect((await replied(act, { streams })).text).toMatch(/^id: \w+-2-1\ndata: \{\}\n\n$/);
  });

  it("reports that the client disconnected, and only then", async () => {
    const disconnected = await new Promise((resolve) => {
      const abort = new AbortController();
      server.once("request", (_request, response) => {
        const reply = new PostReply(response, {
          accepted: { json: true, events: true },
          keepAlive,
          onDisconnect: () => resolve(reply),
        });
        abort.abort();
      });
      fetch(url, { method: "POST", signal: abort.signal }).catch(() => {});
    });
    expect((disconnected as PostReply).open).toBe(false);
    let isDisconnected = false;
    await replied((reply) => reply.reply("1", "{}"), {
      onDisconnect: () => (isDisconnected = true),
    });
    expect(isDisconnected).toBe(false);
  });
});

describe("the error code of a message", () => {
  it.each(["1", '"a \\" b"', "null", JSON.stringify(',"error":{"code":5')])(
    "is found after the id %s",
    (idText) => {
      const error = { message: "m", data: { code: 3 }, code: -32_601 };
      expect(errorCodeOf(errorText(idText, error), idText)).toBe(-32_601);
      expect(errorCodeOf(resultText(idText, { error: { code: 7 } }), idText)).toBeUndefined();
    },
  );
});
