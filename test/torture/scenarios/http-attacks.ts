/** Requests over HTTP that no client sends, and web pages that would like to. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { chaos } from "../chaos.ts";
import { rawHttp, type RawAnswer } from "../http-client.ts";
import type { HttpRun, Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

const MB = 1024 ** 2;

async function brokenBodies(rig: Rig): Promise<void> {
  const run = await rig.startHttp({ echo: chaos() }, { http: { bodyBytes: 8 * MB } });
  const post = (headers: string, body: string | Buffer): Promise<RawAnswer> =>
    rawHttp(
      run.port,
      async (send) => {
        await send(head(run, `content-type: application/json\r\n${headers}`));
        await send(body);
      },
      rig.limit(10_000),
    );
  const sized = (body: string): Promise<RawAnswer> =>
    post(`content-length: ${Buffer.byteLength(body)}\r\n`, body);
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(10_000)}1${"}".repeat(10_001)}`;

  const cases: [name: string, expected: number[], answer: () => Promise<RawAnswer>][] = [
    ["twenty megabytes", [413], () => sized(" ".repeat(20 * MB))],
    ["twenty megabytes, announced only", [413], () => post(`content-length: ${20 * MB}\r\n`, "{")],
    ["chunks without end", [413], () => chunked(rig, run)],
    ["ten thousand levels", [400], () => sized(deep)],
    ["no JSON", [400], () => sized('{"jsonrpc":')],
    ["nothing", [400], () => sized("")],
    ["a batch", [400], () => sized('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')],
    ["invalid UTF-8", [400], () => post("content-length: 3\r\n", Buffer.from([0x22, 0xff, 0x22]))],
    ["another type", [415], () => otherType(rig, run)],
    ["no length and no chunks", [400, 411], () => post("", "")],
    [
      "a broken head",
      [400, 0],
      () => rawHttp(run.port, (send) => send("GE\0T / HTTP/9\r\n\r\n"), rig.limit(5000)),
    ],
  ];
  const took = new Map<string, number>();
  for (const [name, expected, answer] of cases) {
    const { status, tookMs } = await answer();
    expect(expected, `${name}: ${status}`).toContain(status);
    took.set(name, tookMs);
  }
  if (!rig.measured) return;
  // They take half a minute; test/e2e/http-slow.test.ts does the same with short time-outs.
  await slowRequests(rig, run);
  for (const [name, ms] of took) expect(ms, name).toBeLessThan(1000);
}

/** The start of an acceptable request, up to its own headers. */
function head({ port, token }: HttpRun, headers: string): string {
  return [
    "POST /mcp HTTP/1.1",
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${token}`,
    "accept: application/json, text/event-stream",
    `${headers}\r\n`,
  ].join("\r\n");
}

function chunked(rig: Rig, run: HttpRun): Promise<RawAnswer> {
  const headers = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
  const chunk = `100000\r\n${" ".repeat(MB)}\r\n`;
  return rawHttp(
    run.port,
    async (send, stop) => {
      await send(head(run, headers));
      for (let i = 0; i < 40 && !stop.aborted; i++) await send(chunk);
    },
    rig.limit(10_000),
  );
}

function otherType(rig: Rig, run: HttpRun): Promise<RawAnswer> {
  return rawHttp(
    run.port,
    async (send) => {
      await send(head(run, "content-type: text/plain\r\ncontent-length: 2\r\n"));
      await send("{}");
    },
    rig.limit(5000),
  );
}

const MAX_HEAD_MS = 12_000;
const MAX_BODY_MS = 32_000;

/** One byte a second; a server that reads forever can be kept busy by a single machine. */
async function slowRequests(rig: Rig, run: HttpRun): Promise<void> {
  const trickle = async (start: string, longestMs: number): Promise<void> => {
    const { status, tookMs } = await rawHttp(
      run.port,
      async (send, stop) => {
        await send(start);
        for (let i = 0; i < 60 && !stop.aborted; i++) {
          await send("x");
          await delay(1000);
        }
      },
      rig.limit(60_000),
    );
    expect(status, "of a request that is too slow").toBe(408);
    expect(tookMs).toBeLessThan(longestMs);
  };
  await Promise.all([
    trickle("POST /mcp HTTP/1.1\r\nx-slow: ", MAX_HEAD_MS),
    trickle(head(run, "content-type: application/json\r\ncontent-length: 1000\r\n"), MAX_BODY_MS),
  ]);
}

/** What a request claims about its origin, and whether it is to be accepted. */
interface Visitor {
  readonly route: string;
  readonly host: string;
  readonly origin: string | undefined;
  readonly token: string | undefined;
  readonly expected: "malformed" | "refused" | "unauthorized" | "passed";
}

function* visitors({ port, token }: HttpRun): Generator<Visitor> {
  const own = `127.0.0.1:${port}`;
  const ourHosts = [own, `localhost:${port}`, `[::1]:${port}`];
  const hosts = [
    ...ourHosts,
    "evil.example",
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    `localhost.:${port}`,
    `user@${own}`,
    `127.0.0.1:${port + 1}`,
    `${own}\r\nhost: evil.example`,
    "",
  ];
  const ourOrigins = [undefined, `http://${own}`];
  const origins = [
    ...ourOrigins,
    "http://evil.example",
    `http://localhost.evil.example:${port}`,
    "null",
    `http://${own}@evil.example`,
    `http://${own}\r\norigin: http://evil.example`,
    "file://",
  ];
  for (const route of ROUTES)
    for (const host of hosts)
      for (const origin of origins)
        for (const shown of [undefined, "wrong", token.slice(0, -1), token]) {
          const ours = ourHosts.includes(host) && ourOrigins.includes(origin);
          const admitted = route === "GET /healthz" || shown === token;
          // A repeated header that may occur once, or a missing required one, is not valid HTTP.
          const malformed = host === "" || host.includes("\r\n");
          const expected = malformed
            ? "malformed"
            : ours
              ? admitted
                ? "passed"
                : "unauthorized"
              : "refused";
          yield { route, host, origin, token: shown, expected };
        }
}

const ROUTES = [
  "POST /mcp",
  "GET /mcp",
  "DELETE /mcp",
  "POST /mcp/dev",
  "GET /api/status",
  "GET /healthz",
];
const STATUSES = { malformed: [400, 403], refused: [403], unauthorized: [401] };
const ENOUGH_WRONG = 5;
const HEAD_TIMEOUT_MS = 10_000;
/** Shares no factor with the number of routes, hosts, origins or tokens, so each is seen with each. */
const SAMPLE_STEP = 5;

async function rebinding(rig: Rig): Promise<void> {
  const run = await rig.startHttp({ echo: chaos() });
  const wrong: string[] = [];
  const step = rig.measured ? 1 : SAMPLE_STEP;
  for (const [i, visitor] of [...visitors(run)].entries()) {
    if (i % step !== 0) continue;
    const { status, tookMs } = await visit(rig, run, visitor);
    // Rightly refused: on a very busy machine the request may have taken that long to arrive.
    if (status === 408 && tookMs >= HEAD_TIMEOUT_MS) continue;
    const { expected } = visitor;
    const right =
      expected === "passed" ? ![0, 401, 403].includes(status) : STATUSES[expected].includes(status);
    if (!right) wrong.push(`${status} for ${JSON.stringify(visitor)}`);
    if (wrong.length >= ENOUGH_WRONG) break;
  }
  expect(wrong.join("\n")).toBe("");
  expect(run.witness("dev", "echo").starts).toBe(0);
}

/** A call of a tool, with any origin. */
function visit(
  rig: Rig,
  { port }: HttpRun,
  { route, host, origin, token }: Visitor,
): Promise<RawAnswer> {
  const tool = { toolbox: "dev", server: "echo", name: "echo" };
  const params = { name: "use_tool", arguments: { tool, arguments: { text: "x" } } };
  const body = route.startsWith("POST")
    ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
    : "";
  const headers = [
    `${route} HTTP/1.1`,
    `host: ${host}`,
    ...(origin === undefined ? [] : [`origin: ${origin}`]),
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    "accept: application/json, text/event-stream",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return rawHttp(port, (send) => send(`${headers.join("\r\n")}\r\n\r\n${body}`), rig.limit(5000));
}

export const httpAttacks: readonly Scenario[] = [
  {
    id: "S-23",
    title:
      "bodies over HTTP that are too large, too deep, too slow or no JSON are refused with the right status",
    naive: /of a request that is too slow/,
    play: brokenBodies,
  },
  {
    id: "S-24",
    title:
      "requests from web pages of other origins, or under other host names, never reach a server",
    naive: /expected .400 for/,
    play: rebinding,
  },
];
