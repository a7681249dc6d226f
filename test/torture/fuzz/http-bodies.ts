import { isUtf8 } from "node:buffer";
import { Agent, request } from "node:http";
import { text as textFrom } from "node:stream/consumers";
import type { Disposables } from "../../support/disposables.ts";
import { MODERN_VERSION, VERSION_KEY } from "./grammar.ts";
import { Pipe, Violation } from "./pipe.ts";
import type { Program } from "../program.ts";
import { fuzzPlace, INITIALIZE, type Target } from "./target.ts";

const AT_ONCE = 16;
/** The statuses a body may be answered with; anything above is a fault of the program. */
const WORST_STATUS = 499;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly session: string | undefined;
  readonly body: string;
}

/** Bodies of a client over HTTP: never a server error, and a request gets its own answer. */
export async function httpBodies(disposables: Disposables, program: Program): Promise<Target> {
  const args = ["serve", "--http", "127.0.0.1:0", "--no-auth"];
  const pipe = new Pipe(fuzzPlace(disposables, program, args), () => {});
  disposables.defer(() => pipe.kill());
  const listening = (): RegExpExecArray | null => /listens on (http:\S+)/.exec(pipe.stderr);
  await pipe.until(
    () => listening() !== null,
    program.startMs,
    () => "I1 it does not listen",
  );
  const url = listening()?.[1] ?? "";
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  disposables.defer(() => agent.destroy());
  const post = (body: Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    send({ url: `${url}/mcp`, agent, timeout: program.answerMs }, body, headers);
  const { session } = await post(Buffer.from(INITIALIZE));
  const own = { "mcp-session-id": session ?? "" };
  return {
    async feed(inputs) {
      const queue = [...inputs.entries()];
      const worker = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          if (pipe.violation !== undefined) throw pipe.violation;
          const [i, input] = next;
          // Read once: most inputs are damaged, and failing to read them takes the longest.
          const sent = { input, body: bodyOf(input) };
          const headers = modernHeaders(sent.body) ?? (i % 10 === 0 ? {} : own);
          check(sent, await post(input, headers), headers === own);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const { status } = await post(Buffer.from('{"jsonrpc":"2.0","id":"x","method":"ping"}'), own);
      if (status !== 200) throw new Violation(`I1 ping is answered with ${status}`);
    },
    stop: () => pipe.end(),
  };
}

function check(sent: Sent, { status, type, body }: Answer, inSession: boolean): void {
  const fail = (what: string): never => {
    throw new Violation(`${what}: ${status} ${body.slice(0, 500)}`);
  };
  if (status === 0 || status > WORST_STATUS) fail("I1 not the client's fault");
  if (body === "") return;
  const messages = type.startsWith("text/event-stream") ? eventsIn(body) : [body];
  for (const message of messages) {
    let parsed: { jsonrpc?: unknown } = {};
    try {
      parsed = JSON.parse(message) as { jsonrpc?: unknown };
    } catch {
      fail("I5 not JSON");
    }
    if (!Array.isArray(parsed) && parsed.jsonrpc !== "2.0") fail("I5 not a message");
  }
  const asked = requestIn(sent.body);
  if (asked === undefined || (status !== 200 && !(inSession && isProper(sent)))) return;
  const answers = messages
    .map((message) => JSON.parse(message) as { id?: unknown; method?: string })
    .filter(({ method }) => method === undefined);
  if (answers.length !== 1 || answers[0]?.id !== asked) fail("I4 not the one answer");
}

function eventsIn(body: string): string[] {
  return body
    .split("\n")
    .filter((line) => line.startsWith("data:") && line.trim() !== "data:")
    .map((line) => line.slice(5));
}

interface Body {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly _meta?: Record<string, unknown> };
}

/** What was sent, and what it means. */
interface Sent {
  readonly input: Buffer;
  readonly body: Body;
}

function bodyOf(input: Buffer): Body {
  try {
    return (JSON.parse(input.toString("utf8")) as Body | null) ?? {};
  } catch {
    return {};
  }
}

/** The id of the request in a body; undefined if it is not a request. */
function requestIn({ id, method }: Body): string | number | undefined {
  const isId = typeof id === "string" || typeof id === "number";
  return isId && typeof method === "string" ? id : undefined;
}

/** Whether a request keeps all rules, so that its session has to answer it. */
function isProper({ input, body: { jsonrpc, params = {}, method } }: Sent): boolean {
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  const isModern = isObject && params._meta?.[VERSION_KEY] !== undefined;
  const isShallow = !input.includes("[".repeat(20));
  return (
    jsonrpc === "2.0" &&
    isObject &&
    !isModern &&
    isShallow &&
    isUtf8(input) &&
    method !== "initialize"
  );
}

/** What a modern request repeats in its headers; undefined for all others. */
function modernHeaders({ method, params }: Body): Record<string, string> | undefined {
  if (params?._meta?.[VERSION_KEY] !== MODERN_VERSION || !isWord(method)) return undefined;
  const { name } = params;
  return {
    "mcp-protocol-version": MODERN_VERSION,
    "mcp-method": method,
    ...(isWord(name) && { "mcp-name": name }),
  };
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[\w/]+$/.test(value);
}

interface Recipient {
  readonly url: string;
  readonly agent: Agent;
  readonly timeout: number;
}

function send(
  { url, agent, timeout }: Recipient,
  body: Buffer,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent,
      timeout,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": body.length,
        ...headers,
      },
    });
    sent.on("timeout", () => sent.destroy(new Violation("I3 no answer over HTTP")));
    sent.on("error", (error) =>
      reject(error instanceof Violation ? error : new Violation(`I1 ${error.message}`)),
    );
    sent.on("response", (response) => {
      const { statusCode: status = 0, headers: got } = response;
      const session = got["mcp-session-id"];
      textFrom(response).then(
        (text) =>
          resolve({
            status,
            type: got["content-type"] ?? "",
            session: typeof session === "string" ? session : undefined,
            body: text,
          }),
        reject,
      );
    });
    sent.end(body);
  });
}
