import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { stopClock } from "../../../test/support/stop-clock.ts";
import type { ExportSettings } from "../otel-settings.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import { TRACES_REQUEST } from "./otlp-fields.ts";

const closing: (() => Promise<unknown>)[] = [];
// Nothing may be left in the process, which other files share.
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** An exporter, and what its collector got; the answers are given one after the other. */
async function exporting(
  answers: readonly ((response: ServerResponse) => void)[],
  settings: Partial<ExportSettings> = {},
): Promise<{ exporter: OtlpExporter; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    answers[Math.min(received.length, answers.length - 1)]?.(response);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const exporter = new OtlpExporter({
    message: TRACES_REQUEST,
    settings: {
      url: `http://127.0.0.1:${port}/v1/traces`,
      headers: { "x-key": "k" },
      protocol: "http/json",
      timeoutMs: 60_000,
      isCompressed: false,
      tls: {},
      ...settings,
    },
  });
  closing.push(() => {
    exporter.close();
    server.closeAllConnections();
    server.close();
    return once(server, "close");
  });
  return { exporter, received };
}

const ok = (response: ServerResponse): unknown => response.writeHead(200).end("{}");
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): unknown =>
    response.writeHead(code, headers).end();
const never = new AbortController().signal;
const BODY = { resourceSpans: [] };

describe("an export over HTTP", () => {
  it("sends JSON or protobuf, compressed if wanted, with the headers of the user", async () => {
    const json = await exporting([ok]);
    const parts = [{ resourceSpans: [1] }, { resourceSpans: [2, 3] }];
    expect(await json.exporter.export(parts, never)).toEqual({ isDone: true, rejected: 0 });
    expect(json.received[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "x-key": "k",
      "user-agent": expect.stringMatching(/^mcp-workbench\//) as string,
    });
    expect(json.received[0]?.body.toString()).toBe('{"resourceSpans":[1,2,3]}');
    const protobuf = await exporting([ok], { protocol: "http/protobuf", isCompressed: true });
    await protobuf.exporter.export([{ resourceSpans: [{}] }, { resourceSpans: [{}] }], never);
    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = protobuf.received;
    expect(headers).toMatchObject({
      "content-type": "application/x-protobuf",
      "content-encoding": "gzip",
    });
    expect(gunzipSync(body).toString("hex")).toBe("0a000a00");
  });

  it("is repeated after answers that ask for it, and only after those", async () => {
    const busy = await exporting([
      status(503, { "retry-after": "0" }),
      status(429, { "retry-after": "0" }),
      ok,
    ]);
    expect(await busy.exporter.export([BODY], never)).toMatchObject({ isDone: true });
    expect(busy.received).toHaveLength(3);
    for (const code of [400, 401, 404, 500, 301, 307]) {
      const refusing = await exporting([status(code, { location: "http://127.0.0.1:1/" })]);
      expect(await refusing.exporter.export([BODY], never)).toEqual({
        isDone: false,
        reason: `the collector answers with HTTP status ${code}`,
      });
      expect(refusing.received).toHaveLength(1);
    }
  });

  it("ends when its time is over or the program ends, whatever the collector does", async () => {
    const silent = await exporting([() => {}], { timeoutMs: 50 });
    const late = { isDone: false, reason: "the collector does not answer in time" };
    expect(await silent.exporter.export([BODY], never)).toEqual(late);
    const waiting = await exporting([status(503, { "retry-after": "9999" })]);
    expect(await waiting.exporter.export([BODY], never)).toMatchObject({ isDone: false });
    const ending = new AbortController();
    const stuck = await exporting([() => ending.abort()]);
    expect(await stuck.exporter.export([BODY], ending.signal)).toEqual(late);
  });

  it("reads no more of an answer than an answer needs", async () => {
    const endless = (response: ServerResponse): void => {
      response.writeHead(200);
      const write = (): void => {
        if (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20))) setImmediate(write);
      };
      response.on("drain", write).on("error", () => {});
      write();
    };
    const { exporter } = await exporting([endless]);
    expect(await exporter.export([BODY], never)).toEqual({ isDone: true, rejected: 0 });
  });

  it("fails if the connection is cut or refused", async () => {
    // The limit itself never ends an attempt, however slow the machine is.
    stopClock();
    // Less than the shortest pause, so that it is not tried again.
    const timeoutMs = 750;
    const cutting = await exporting([(response) => response.destroy()], { timeoutMs });
    expect(await cutting.exporter.export([BODY], never)).toMatchObject({ isDone: false });
    const refused = await exporting([ok], { url: "http://127.0.0.1:1/", timeoutMs });
    expect(await refused.exporter.export([BODY], never)).toEqual({
      isDone: false,
      reason: "ECONNREFUSED",
    });
  });
});
