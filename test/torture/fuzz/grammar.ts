/** Messages that look like MCP: mostly well-formed, with everything that is rarely tried. */
import type { Random } from "./random.ts";

const METHODS = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "tools/call",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "resources/subscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "server/discover",
  "tasks/get",
  "tasks/cancel",
  "no/such/method",
  "",
  "__proto__",
];

const NOTIFICATIONS = [
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/roots/list_changed",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/message",
  "notifications/unknown",
];

const QUESTIONS = ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "x/y"];

const KEYS = [
  "name",
  "arguments",
  "tool",
  "toolbox",
  "toolbox_name",
  "server",
  "uri",
  "cursor",
  "level",
  "_meta",
  "progressToken",
  "requestId",
  "protocolVersion",
  "capabilities",
  "clientInfo",
  "io.modelcontextprotocol/subscriptionId",
  "jsonrpc",
  "id",
  "result",
  "__proto__",
  "constructor",
  "",
  "é\u2028🎈",
];

const TEXTS = [
  "",
  "echo",
  "feed",
  "use_tool",
  "open_toolbox",
  "search_tools",
  "dev",
  "fuzzed",
  "calm",
  "2025-11-25",
  "2026-07-28",
  "1900-01-01",
  "workbench://dev/fuzzed/x:y",
  "x".repeat(3000),
  '"quoted\\',
  "\u0000\ud800\uffff",
  "🎈".repeat(20),
];

const NUMBERS = ["0", "-0", "1", "1.0", "1e2", "-1", "1e999", "12345678901234567890", "0.1e-7"];

/** Around the limits of what is parsed, and far above them. */
const DEPTHS = [100, 126, 128, 129, 5000, 20_000];
/** Made once, because they are always the same. */
const MANY_MEMBERS = [1000, 30_000].map((count) =>
  objectOf(Array.from({ length: count }, (_, i) => `"k${i}":1`)),
);

/** Values that are deep or have many members: rare, because they are large. */
function excessiveJson(random: Random): string {
  if (random.chance(0.2)) return random.pick(MANY_MEMBERS);
  const depth = random.pick(DEPTHS);
  return random.chance(0.5)
    ? "[".repeat(depth) + "]".repeat(depth)
    : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

/** Any JSON, as text: numbers keep forms that JavaScript would not write. */
export function anyJson(random: Random, depth = 0): string {
  if (random.chance(0.002)) return excessiveJson(random);
  const kind = random.int(depth > 4 ? 4 : 7);
  if (kind === 0) return random.pick(["null", "true", "false"]);
  if (kind === 1) return random.pick(NUMBERS);
  if (kind <= 3) return JSON.stringify(random.pick(TEXTS));
  const size = random.int(4);
  if (kind === 4)
    return `[${Array.from({ length: size }, () => anyJson(random, depth + 1)).join(",")}]`;
  return objectOf(Array.from({ length: size }, () => member(random, depth)));
}

function member(random: Random, depth: number): string {
  return `${JSON.stringify(random.pick(KEYS))}:${anyJson(random, depth + 1)}`;
}

function objectOf(members: readonly string[]): string {
  return `{${members.join(",")}}`;
}

/** What makes a request a modern one. */
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const MODERN_VERSION = "2026-07-28";

function envelope(random: Random): string {
  const version = `${JSON.stringify(VERSION_KEY)}:${text(random, MODERN_VERSION)}`;
  const capabilities = `"io.modelcontextprotocol/clientCapabilities":${random.chance(0.8) ? "{}" : anyJson(random)}`;
  const info = `"io.modelcontextprotocol/clientInfo":{"name":${text(random, "fuzzer")},"version":"1"}`;
  return objectOf([version, capabilities, info]);
}

function paramsOf(random: Random, method: string): string {
  if (method !== "tools/call" || random.chance(0.3)) {
    if (random.chance(0.2)) return objectOf([`"_meta":${envelope(random)}`, member(random, 1)]);
    return random.chance(0.7) ? objectOf([member(random, 1), member(random, 1)]) : anyJson(random);
  }
  const tool = `{"toolbox":${text(random, "dev")},"server":${text(random, "fuzzed")},"name":${text(random, "echo")}}`;
  const meta = random.pick([
    "",
    "",
    `,"_meta":{"progressToken":${anyJson(random)}}`,
    `,"_meta":${envelope(random)}`,
  ]);
  if (random.chance(0.2))
    return `{"name":"open_toolbox","arguments":{"toolbox":${text(random, "dev")}}${meta}}`;
  return `{"name":"use_tool","arguments":{"tool":${tool},"arguments":{"text":${anyJson(random)}}}${meta}}`;
}

/** Mostly the expected text, so that many messages get further than the first check. */
function text(random: Random, expected: string): string {
  return random.chance(0.8) ? JSON.stringify(expected) : anyJson(random);
}

function message(random: Random, members: string[]): string {
  if (random.chance(0.95)) members.push('"jsonrpc":"2.0"');
  if (random.chance(0.1)) members.push(member(random, 0));
  // The order of members is free, and so is white space between them.
  members.sort(() => random.next() - 0.5);
  const [between, around] = random.chance(0.9) ? [",", ""] : [" ,\t", " "];
  return `{${around}${members.join(between)}${around}}`;
}

/** A message of a client; `id` has not been used before. */
export function clientMessage(random: Random, id: number): string {
  const kind = random.next();
  if (kind < 0.1) return anyJson(random);
  if (kind < 0.2)
    return message(random, [
      `"method":${JSON.stringify(random.pick(NOTIFICATIONS))}`,
      `"params":${anyJson(random)}`,
    ]);
  const own = random.pick([String(id), String(id), JSON.stringify(`id-${id}`), `${id}.5`]);
  const idText = random.chance(0.95) ? own : anyJson(random);
  if (kind < 0.3) return message(random, [`"id":${idText}`, `"result":${anyJson(random)}`]);
  const method = random.pick(METHODS);
  const members = [`"id":${idText}`, `"method":${JSON.stringify(method)}`];
  if (random.chance(0.95)) members.push(`"params":${paramsOf(random, method)}`);
  return message(random, members);
}

/**
 * A message of a server. The server writes the id of the request that it answers, plus the number,
 * in place of `@id+0@`, so that an input means the same wherever it is fed.
 */
export function serverMessage(random: Random): string {
  const kind = random.next();
  if (kind < 0.1) return anyJson(random);
  const someId = random.pick([`@id${random.pick(["+", "-"])}${random.int(4)}@`, '"@id+0@"']);
  const id = `"id":${random.chance(0.9) ? someId : anyJson(random)}`;
  if (kind < 0.4)
    return message(random, [
      `"method":${JSON.stringify(random.pick(NOTIFICATIONS))}`,
      `"params":${anyJson(random)}`,
    ]);
  if (kind < 0.5)
    return message(random, [id, `"method":${JSON.stringify(random.pick(QUESTIONS))}`]);
  const body = random.chance(0.8)
    ? `"result":${anyJson(random)}`
    : `"error":${random.chance(0.7) ? '{"code":-1,"message":"no"}' : anyJson(random)}`;
  return message(random, random.chance(0.9) ? [id, body] : [id, body, '"error":null']);
}
