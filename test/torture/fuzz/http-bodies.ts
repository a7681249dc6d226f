import { Agent, request } from "node:http";
import { text as textFrom } from "node:stream/consumers";
import type { Disposables } from "../../support/disposables.ts";
import { Pipe, Violation } from "./pipe.ts";
import { ANSWER_MS, fuzzPlace, GREETING, type Target } from "./target.ts";

const AT_ONCE = 16;
/** What a body may be answered with; anything above is a fault of the program. */
const WORST_STATUS = 499;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly session: string | undefined;
  readonly body: string;
}

/** Bodies of a client over HTTP: never a server error, and a request gets its own answer. */
export async function httpBodies(disposables: Disposables): Promise<Target> {
  const args = ["serve", "--http", "127.0.0.1:0", "--no-auth"];
  const pipe = new Pipe(fuzzPlace(disposables, args), () => {});
  disposables.defer(() => pipe.kill());
  const listening = (): RegExpExecArray | null => /listens on (http:\S+)/.exec(pipe.stderr);
  await pipe.until(
    () => listening() !== null,
    ANSWER_MS,
    () => "I1 it does not listen",
  );
  const url = listening()?.[1] ?? "";
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  disposables.defer(() => agent.destroy());
  const post = (body: Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    send(`${url}/mcp`, agent, body, headers);
  const { session } = await post(Buffer.from(GREETING));
  const own = { "mcp-session-id": session ?? "" };
  return {
    async feed(inputs) {
      const queue = [...inputs.entries()];
      const worker = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          if (pipe.violation !== undefined) throw pipe.violation;
          const [i, input] = next;
          check(input, await post(input, i % 10 === 0 ? {} : own));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const { status } = await post(Buffer.from('{"jsonrpc":"2.0","id":"x","method":"ping"}'), own);
      if (status !== 200) throw new Violation(`I1 ping is answered with ${status}`);
    },
    stop: () => pipe.end(),
  };
}

function check(input: Buffer, { status, type, body }: Answer): void {
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
  const asked = requestIn(input);
  if (asked === undefined || status !== 200) return;
  const answers = messages
    .map((message) => JSON.parse(message) as { id?: unknown; method?: string })
    .filter(({ method }) => method === undefined);
  if (answers.length !== 1 || !Object.is(answers[0]?.id, asked)) fail("I4 not the one answer");
}

function eventsIn(body: string): string[] {
  return body
    .split("\n")
    .filter((line) => line.startsWith("data:") && line.trim() !== "data:")
    .map((line) => line.slice(5));
}

/** The id of the request that a body is; undefined if it is none. */
function requestIn(input: Buffer): string | number | undefined {
  try {
    const { id, method } = JSON.parse(input.toString("utf8")) as { id?: unknown; method?: unknown };
    const isId = typeof id === "string" || typeof id === "number";
    return isId && typeof method === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

function send(
  url: string,
  agent: Agent,
  body: Buffer,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent,
      timeout: ANSWER_MS,
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
