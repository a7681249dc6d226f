/** S-23: bodies that are too large, too slow, too deep or not what they should be. */
import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpClient, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { readAll } from "../support/read-all.ts";
import { dev, fixture } from "../support/servers.ts";

const LIMIT = 1024 * 1024;
const MEGABYTE = 1024 * 1024;

describe("S-23: a request body", () => {
  const cleanup = perBlock();
  let workbench: HttpWorkbench;
  let client: HttpClient;
  beforeAll(async () => {
    const config = dev({ fx: fixture() }, { http: { bodyBytes: LIMIT } });
    workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    client = workbench.client();
    await client.initialize();
  });

  const head = (...lines: readonly string[]): string =>
    ["POST /mcp HTTP/1.1", `Host: 127.0.0.1:${workbench.port}`, ...lines, "", ""].join("\r\n");
  const TYPE = "Content-Type: application/json";

  it("up to the limit is accepted", async () => {
    const text = "x".repeat(LIMIT - 500);
    expect(firstText(await client.ask("tools/call", useToolParams("dev/fx/echo", { text })))).toBe(
      text,
    );
  });

  it("above the limit is refused by its declared length, before any of it is sent", async () => {
    const socket = connect(workbench.port, "127.0.0.1");
    socket.write(head(TYPE, `Content-Length: ${20 * MEGABYTE}`));
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 .*http\.bodyBytes/s);
  });

  it("above the limit is refused with a reason that the client can read", async () => {
    const answer = await client.post("x".repeat(20 * MEGABYTE)).done();
    expect(answer.status).toBe(413);
    expect(messagesIn(answer.text)[0]?.error?.message).toContain(String(LIMIT));
  });

  it("above the limit is refused without a declared length", async () => {
    const socket = connect(workbench.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head(TYPE, "Transfer-Encoding: chunked"));
    const answer = readAll(socket);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    // Twenty times the limit, as far as it is read.
    for (let i = 0; i < 320 && socket.writable; i++)
      if (!socket.write(chunk))
        await Promise.race([new Promise((resolve) => void socket.once("drain", resolve)), answer]);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("is requested with 100 Continue on Expect, unless it is too large", async () => {
    const small = connect(workbench.port, "127.0.0.1");
    small.write(head(TYPE, "Content-Length: 2", "Expect: 100-continue", "Connection: close"));
    const [first] = (await once(small, "data")) as [Buffer];
    expect(String(first)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    const rest = readAll(small);
    small.write("{}");
    expect(await rest).toMatch(/^HTTP\/1\.1 400 /);
    const large = connect(workbench.port, "127.0.0.1");
    large.write(head(TYPE, `Content-Length: ${2 * LIMIT}`, "Expect: 100-continue"));
    expect(await readAll(large)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    ["nothing", ""],
    ["half of it", '{"jsonrpc":"2.0","id":1,'],
    ["text", "hello"],
    ["two of them", '{"id":1}{"id":2}'],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["10,000 levels", "[".repeat(10_000) + "]".repeat(10_000)],
    ["129 levels", `${'{"a":'.repeat(129)}1${"}".repeat(129)}`],
  ])("that contains %s is answered with a parse error", async (_what, body) => {
    const answer = await client.post(body).done();
    expect(answer.status).toBe(400);
    expect(messagesIn(answer.text)[0]).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it("may nest 128 levels deep", async () => {
    let args: Record<string, unknown> = {};
    for (let depth = 6; depth < 128; depth++) args = { a: args };
    const answer = await client.ask("tools/call", useToolParams("dev/fx/run", args));
    expect(answer.error).toBeUndefined();
  });

  it.each([
    ["a number", "1", "null"],
    ["a message without a method", '{"jsonrpc":"2.0","id":3}', "3"],
    ["a method that is not a string", '{"jsonrpc":"2.0","id":3,"method":4}', "3"],
    ["params that are an array", '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', "3"],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', "null"],
    ["an empty batch", "[]", "null"],
  ])("that is %s is answered as an invalid request", async (_what, body, id) => {
    const answer = await client.post(body).done();
    expect(answer.status).toBe(400);
    expect(messagesIn(answer.text)[0]).toMatchObject({
      id: JSON.parse(id) as unknown,
      error: { code: -32600 },
    });
  });

  it.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/json; charset=latin1", 415],
    ["application/jsonx", 415],
    [undefined, 415],
    ["application/json; charset=utf-8", 200],
    ['Application/JSON; charset="UTF-8"', 200],
  ])("of type %s is answered with %i", async (type, status) => {
    const headers = { "content-type": type };
    expect((await client.request("ping", {}, { headers }).done()).status).toBe(status);
  });

  it("that is compressed is refused", async () => {
    const headers = { "content-encoding": "gzip" };
    expect((await client.request("ping", {}, { headers }).done()).status).toBe(415);
  });

  it.each([
    ["a repeated header", "Content-Length: 1\r\nContent-Length: 2"],
    ["two kinds of length", "Content-Length: 1\r\nTransfer-Encoding: chunked"],
    ["a malformed header", "Nonsense"],
  ])("with %s is refused", async (_what, lines) => {
    const socket = connect(workbench.port, "127.0.0.1");
    socket.write(head(TYPE, lines));
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("with endless headers is refused", async () => {
    const socket = connect(workbench.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head(TYPE, `X: ${"y".repeat(20_000)}`));
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("is rejected if a member that is checked occurs twice", async () => {
    const call = (members: string, name: string): string =>
      `{"jsonrpc":"2.0","id":1,${members},"params":{${name},"arguments":{"tool":{"toolbox":"dev","server":"fx","name":"echo"},"arguments":{"text":"a","text":"b"}}}}`;
    const method = '"method":"tools/call"';
    const name = '"name":"use_tool"';
    const refused: [string, number][] = [
      [call(`"method":"ping",${method}`, name), -32600],
      [call(method, `"name":"open_toolbox",${name}`), -32602],
    ];
    for (const [body, code] of refused) {
      const answer = await client.post(body).done();
      expect(answer.status).toBe(400);
      expect(messagesIn(answer.text)[0]).toMatchObject({ error: { code } });
    }
    // Members that the workbench does not read are left to the server.
    const answer = await client.post(call(method, name)).done();
    expect(firstText(messagesIn(answer.text)[0])).toBe("b");
  });

  it("that never completes does not delay other clients", async () => {
    const stuck = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect(workbench.port, "127.0.0.1");
        cleanup.defer(() => socket.destroy());
        socket.on("error", () => {});
        await once(socket, "connect");
        socket.write(`${head(TYPE, "Content-Length: 100")}{`);
        return socket;
      }),
    );
    for (let i = 0; i < 20; i++) expect((await client.ask("ping")).result).toEqual({});
    // They are still waiting, so their end did not let the others through.
    expect(stuck.filter(({ closed }) => closed)).toEqual([]);
  });
});
