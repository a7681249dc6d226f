/** What has to hold for every line that leaves the program, for any reader. */
import { isDeepStrictEqual } from "node:util";
import { LINE_END, parseAll, seenBy } from "./readers.ts";
import type { FuzzedClient } from "./rig.ts";

/** The keys that decide what a message is and what it is about. */
const ENVELOPE = ["jsonrpc", "id", "method", "params", "result", "error"];
const SUBJECTS = ["name", "arguments", "_meta", "uri", "ref", "taskId", "cursor", "level"];

/** The written lines; throws if another reader would split them differently. */
export function linesOf(written: string): string[] {
  const lines = written.split("\n");
  if (lines.pop() !== "") throw new Error("the last line has no end");
  for (const line of lines) if (LINE_END.test(line)) throw new Error("a line that is several");
  return lines;
}

/** The one value that all readers see. */
function agreed(parsed: unknown, key: string): unknown {
  const seen = seenBy(parsed, key);
  if (seen.length > 1) throw new Error(`readers disagree about ${key}`);
  return seen[0];
}

/** What a server received because of a message. */
export function checkSentToServer(
  client: FuzzedClient,
  input: string,
  lines: readonly string[],
): void {
  for (const line of lines) {
    const all = parseAll(line);
    for (const key of ENVELOPE) agreed(all, key);
    const params = agreed(all, "params");
    for (const key of SUBJECTS) agreed(params, key);
    const method = String(agreed(all, "method"));
    const token = agreed(agreed(params, "_meta"), "progressToken");
    const id = agreed(all, "id");
    if (id !== undefined && token !== undefined && token !== id) throw new Error("a foreign token");
    const resembles = /^tools(call|list)$/.test(method.toLowerCase().replace(/[^a-z]/g, ""));
    if (client.pin === undefined) continue;
    if (method !== "tools/call") {
      if (resembles) throw new Error(`the server receives ${method}`);
      continue;
    }
    if (id === undefined) throw new Error("a call without an id");
    if (agreed(params, "name") !== "safe") throw new Error("a tool that was filtered");
    if (agreed(agreed(params, "arguments"), "repo") !== client.pin)
      throw new Error("a pin is lost");
    checkArguments(client, input, line);
  }
}

/** The server receives the arguments that were checked. */
function checkArguments({ view, pin }: FuzzedClient, input: string, line: string): void {
  const given = (JSON.parse(input) as { params: { arguments?: { arguments?: object } } }).params;
  const own = view === "proxy" ? given.arguments?.arguments : given.arguments;
  // Arguments that are not an object count as none.
  const named = typeof own === "object" && !Array.isArray(own) ? own : {};
  const received = (JSON.parse(line) as { params: { arguments: unknown } }).params.arguments;
  if (!isDeepStrictEqual(received, { ...named, repo: pin })) throw new Error("other arguments");
}

/** A client gets as many answers as its server gets calls: refused calls were not sent. */
export function checkAnswered(received: readonly string[], sent: readonly string[]): void {
  const asked = received.filter((line) => {
    const { id, method } = JSON.parse(line) as { id?: unknown; method?: unknown };
    return id !== undefined && method === "tools/call";
  });
  const ran = sent.filter((line) => line.includes('"RAN"'));
  if (asked.length !== ran.length) throw new Error(`${asked.length} asked, ${ran.length} answered`);
}

/** What a client received because of a server's message. */
export function checkSentToClient(lines: readonly string[], own: unknown, isJson: boolean): void {
  for (const line of lines) {
    // Of a large answer only the text around the result has been read.
    if (!isJson && line.length > 16_000) continue;
    const all = parseAll(line);
    for (const key of ENVELOPE) agreed(all, key);
    const id = agreed(all, "id");
    const isOurs = typeof id === "string" && id.startsWith("workbench-");
    if (id !== undefined && id !== null && id !== own && !isOurs)
      throw new Error(`an answer in the name of ${String(id)}`);
    const outcome = agreed(all, "result") ?? agreed(all, "error");
    if (agreed(all, "method") !== undefined && outcome !== undefined)
      throw new Error("a request that is an answer");
  }
}

/** Messages without the parts that differ between runs. */
export function comparable(lines: readonly string[]): unknown[] {
  return lines.map((line) => {
    const text = line.replace(/workbench-\d+/g, "workbench");
    const message = JSON.parse(text) as Record<string, unknown>;
    if (message["method"] === undefined) return message;
    const { id, ...rest } = message;
    return { ...withoutTokens(rest), hasId: id !== undefined };
  });
}

/** Progress tokens are ids of calls, which differ; a token may be anywhere, also in a key that is never read. */
function withoutTokens(value: object): object {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === "progressToken" ? 0 : member)));
}
