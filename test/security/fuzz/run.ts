/** Sends the same message over the fast and the slow path, and compares the results. */
import { isDeepStrictEqual } from "node:util";
import { Random } from "../../torture/fuzz/random.ts";
import { lanes } from "./lanes.ts";
import { Messages } from "./messages.ts";
import {
  checkAnswered,
  checkSentToServer,
  checkSentToClient,
  comparable,
  linesOf,
} from "./oracles.ts";
import { FuzzedClient, VIEWS } from "./rig.ts";

export interface Tally {
  inputs: number;
  validJson: number;
  /** The number of messages on the fast path. */
  quick: number;
  /** The number of messages that reached the other side. */
  passedOn: number;
  /** What went wrong, with the first inputs that show it. */
  readonly findings: Record<string, { times: number; example: string; why: unknown }>;
}

const newTally = (): Tally => ({ inputs: 0, validJson: 0, quick: 0, passedOn: 0, findings: {} });

/** Messages that the workbench sends on its own: list requests and list changes. */
const OWN_NEWS =
  /^\{"jsonrpc":"2.0",("id":\d+,)?"method":"(notifications\/)?(prompts|resources)\/(templates\/)?list(_changed)?"/;

/** The lines that a message has caused. */
function linesIn(written: string): string[] {
  return linesOf(written).filter((line) => !OWN_NEWS.test(line));
}

export async function fuzzClients(seed: number, inputs: number): Promise<Tally> {
  const tally = newTally();
  const messages = new Messages(new Random(seed, 1));
  for (const view of VIEWS) {
    const client = await FuzzedClient.start(view);
    for (let i = 0; i < inputs / VIEWS.length; i++) {
      const input = messages.ofClient();
      // For the workbench this is the end of the line.
      if (input.includes("\n")) continue;
      count(tally, input);
      await observed(tally, input, () => compareRequest(tally, client, input));
    }
    await client.close();
  }
  return tally;
}

async function compareRequest(tally: Tally, client: FuzzedClient, input: string): Promise<void> {
  const outcomes: unknown[] = [];
  for (const quick of [true, false]) {
    lanes.quick = quick;
    const taken = lanes.taken;
    const { toServer, toClient } = await client.send(input);
    const serverLines = linesIn(toServer);
    const clientLines = linesIn(toClient);
    if (quick) {
      if (wasQuick(taken, serverLines.length)) tally.quick++;
      if (serverLines.length > 0) tally.passedOn++;
    }
    checkSentToServer(client, input, serverLines);
    checkAnswered(serverLines, clientLines);
    outcomes.push([comparable(serverLines), comparable(clientLines)]);
  }
  compare(outcomes);
}

function compare([quick, slow]: readonly unknown[]): void {
  if (isDeepStrictEqual(quick, slow)) return;
  throw new Error("the two ways differ", { cause: JSON.stringify({ quick, slow }) });
}

/** The answers of the recording server take the fast path as well. */
function wasQuick(before: number, answers: number): boolean {
  return lanes.taken - before > answers;
}

const FIRST_OWN_ID = 10_000;
const OTHERS_ID = 4242;
const callOf = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"a","server":"s","name":"safe"},"arguments":{}}}}`;

export async function fuzzServers(seed: number, inputs: number): Promise<Tally> {
  const tally = newTally();
  const messages = new Messages(new Random(seed, 2));
  const client = await FuzzedClient.start("proxy");
  // Another call, which a server could answer although it was not asked.
  client.server.answer = () => "";
  await client.send(callOf(OTHERS_ID));
  for (let i = 0; i < inputs; i++) {
    const shape = messages.ofServer(PLACEHOLDER);
    if (shape.includes("\n")) continue;
    count(tally, shape);
    await observed(tally, shape, () => compareAnswer(tally, client, shape, FIRST_OWN_ID + i));
  }
  await client.close();
  return tally;
}

/** Replaced by the id of the call, which is known only when it was made. */
const PLACEHOLDER = 987_654;

async function compareAnswer(
  tally: Tally,
  client: FuzzedClient,
  shape: string,
  ownId: number,
): Promise<void> {
  const outcomes: unknown[] = [];
  const shapes: unknown[] = [];
  for (const quick of [true, false]) {
    lanes.quick = quick;
    const taken = lanes.taken;
    let id = 0;
    client.server.answer = (called, method) => {
      // The workbench may list the tools again at any time.
      if (method !== "tools/call") return undefined;
      id = called;
      return shape.replaceAll(String(PLACEHOLDER), String(called));
    };
    const { toClient } = await client.send(callOf(ownId), () => id !== 0);
    const lines = linesIn(toClient);
    const isJson = parses(shape);
    const answers = lines.filter((line) => !line.includes('"method":"notifications/'));
    if (quick) {
      // The call itself took the fast path.
      if (lanes.taken - taken > 1) tally.quick++;
      if (lines.length > 0) tally.passedOn++;
    }
    client.server.answer = () => undefined;
    client.server.say(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    await client.settle();
    client.drain();
    checkSentToClient(lines, ownId, isJson);
    outcomes.push(isJson ? comparable(answers) : answers.length);
    shapes.push(isJson ? comparable(answers.map((line) => withPlaceholder(line, id))) : []);
  }
  // Only if they differ: the id of a call may also be a number that the server has made up.
  if (parses(shape) && !isDeepStrictEqual(outcomes[0], outcomes[1])) compare(shapes);
}

/** The server may repeat the id of the call anywhere, and each of the two calls has its own. */
function withPlaceholder(line: string, id: number): string {
  return line.replaceAll(new RegExp(`(?<!\\d)${id}(?!\\d)`, "g"), String(PLACEHOLDER));
}

function count(tally: Tally, input: string): void {
  tally.inputs++;
  if (parses(input)) tally.validJson++;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function observed(tally: Tally, input: string, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const why = error instanceof Error ? error.cause : undefined;
    const found = (tally.findings[what] ??= { times: 0, example: input.slice(0, 1000), why });
    found.times++;
  } finally {
    lanes.quick = true;
  }
}
