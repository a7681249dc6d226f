import { createHmac } from "node:crypto";

import type { Era } from "../../protocol/client-profile.ts";
import type { ListedItem } from "../../servers/requests/list-reader.ts";
import { type KnownServer, LIST_METHODS, type ListName } from "../../servers/server-memory.ts";
import { Slices } from "../../servers/slices.ts";
import { detached } from "../../text/detached.ts";
import { parseJson } from "../../text/json.ts";
import type { Redact } from "../../secrets/redact.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";

/**
 * The file format of a catalogue. Definitions are kept as the text the server wrote, because
 * parsing and printing would change some of them. A checksum, made with the user's key and the file
 * name, shows whether the text is complete and belongs to this file.
 */

const FORMAT = 1;
/** The file says that the server has never been connected. */
export const UNREACHABLE = "unreachable";
export type Unreachable = typeof UNREACHABLE;
/** Larger catalogues are not kept: such a server is asked again. */
export const MAX_BYTES = 8 * 1024 * 1024;

/** Searching more characters for secrets would delay all clients. */
const MAX_TEXT_CHARS = 128 * 1024;

const LISTS = Object.keys(LIST_METHODS) as ListName[];
const ERAS: readonly Era[] = ["legacy", "modern"];
const TAIL = /,"checksum":"([0-9a-f]{64})"\}\n?$/;
const TAIL_CHARS = `,"checksum":"${"0".repeat(64)}"}\n`.length;

/**
 * The text; undefined if it is too large even without the less important lists, or if a single
 * definition is. Works in slices: searching megabytes of definitions for secrets takes long.
 */
export async function encodeCatalogue(
  known: KnownServer,
  name: string,
  key: Buffer,
  redact: Redact,
): Promise<string | undefined> {
  if (isTooLarge(known)) return undefined;
  const slices = new Slices();
  slices.begin();
  const tools = await textsOf(known.tools, redact, slices);
  const others = new Map<ListName, readonly string[]>();
  for (const [list, items] of known.others)
    if (!hasLargeItem(items)) others.set(list, await textsOf(items, redact, slices));
  for (let kept = LISTS.length; kept >= 0; kept--) {
    const lists = LISTS.slice(0, kept).filter((list) => others.has(list));
    const shown = lists.map((list) => [list, others.get(list) ?? []] as const);
    if ([tools, ...shown.map(([, texts]) => texts)].reduce(addChars, 0) > MAX_BYTES) continue;
    await slices.rest();
    const body = bodyOf(known, tools, shown, redact);
    await slices.rest();
    const text = withChecksum(body, name, key);
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return undefined;
}

/** Whether the part that is always kept is too large. */
function isTooLarge({ serverInfo, capabilities, instructions = "", tools }: KnownServer): boolean {
  const texts = [JSON.stringify(serverInfo), JSON.stringify(capabilities), instructions];
  return texts.some((text) => text.length > MAX_TEXT_CHARS) || hasLargeItem(tools);
}

function hasLargeItem(items: readonly ListedItem[]): boolean {
  return items.some(({ text }) => text.length > MAX_TEXT_CHARS);
}

/** The text for a server that did not connect in time, so that nothing is known of it. */
export function encodeUnreachable(name: string, key: Buffer): string {
  return withChecksum(JSON.stringify({ format: UNREACHABLE }), name, key);
}

/** A JSON object with a checksum as its last member. */
export function withChecksum(body: string, name: string, key: Buffer): string {
  return `${body.slice(0, -1)},"checksum":"${checksum(body, name, key)}"}\n`;
}

/** The last member of a text with a checksum: different for every other text, also for that of another file. */
export function checksumIn(text: string): string {
  return detached(text.slice(-TAIL_CHARS));
}

/** The JSON object without its checksum; undefined if it is not exactly what was written. */
export function withoutChecksum(text: string, name: string, key: Buffer): string | undefined {
  const tail = TAIL.exec(text);
  if (tail === null) return undefined;
  const body = `${text.slice(0, tail.index)}}`;
  return checksum(body, name, key) === tail[1] ? body : undefined;
}

/** Parses the text; undefined if it is not exactly what was written. Works in slices. */
export async function decodeCatalogue(
  text: string,
  name: string,
  key: Buffer,
): Promise<KnownServer | Unreachable | undefined> {
  const body = withoutChecksum(text, name, key);
  if (body === undefined) return undefined;
  const value = JSON.parse(body) as JsonObject;
  if (value["format"] === UNREACHABLE) return UNREACHABLE;
  if (value["format"] !== FORMAT) return undefined;
  const { eras, serverInfo, capabilities, instructions, tools } = value;
  const slices = new Slices();
  const others = new Map<ListName, readonly ListedItem[]>();
  for (const list of LISTS)
    if (Array.isArray(value[list])) others.set(list, await itemsOf(value[list], slices));
  return {
    eras: erasOf(eras),
    serverInfo: isObject(serverInfo) ? serverInfo : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
    tools: await itemsOf(tools, slices),
    others,
  };
}

type ShownList = readonly [list: ListName, texts: readonly string[]];

function bodyOf(
  known: KnownServer,
  tools: readonly string[],
  lists: readonly ShownList[],
  redact: Redact,
): string {
  const { eras, serverInfo, capabilities, instructions } = known;
  return JSON.stringify({
    format: FORMAT,
    eras: Object.fromEntries(eras),
    serverInfo: redacted(serverInfo, redact),
    capabilities: redacted(capabilities, redact),
    instructions: instructions === undefined ? undefined : redact(instructions),
    tools,
    ...Object.fromEntries(lists),
  });
}

function addChars(sum: number, texts: readonly string[]): number {
  return texts.reduce((chars, { length }) => chars + length, sum);
}

/** A server may repeat the secrets it was given; none of them may be stored on disk. */
async function textsOf(
  items: readonly ListedItem[],
  redact: Redact,
  slices: Slices,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const { text } of items) {
    const clean = redact(text);
    if (clean === text || parseJson(clean) !== undefined) texts.push(clean);
    if (slices.due) await slices.rest();
  }
  return texts;
}

function redacted(value: JsonObject, redact: Redact): unknown {
  const clean = redact(JSON.stringify(value));
  return parseJson(clean) ?? {};
}

async function itemsOf(texts: unknown, slices: Slices): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  if (!Array.isArray(texts)) return items;
  slices.begin();
  for (const text of texts as unknown[]) {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    if (isObject(value)) items.push({ text: text as string, value });
    if (slices.due) await slices.rest();
  }
  slices.end();
  return items;
}

function erasOf(value: unknown): Map<Era, Era> {
  const eras = new Map<Era, Era>();
  if (isObject(value))
    for (const client of ERAS) {
      const server = ERAS.find((era) => era === value[client]);
      if (server !== undefined) eras.set(client, server);
    }
  return eras;
}

function checksum(body: string, name: string, key: Buffer): string {
  return createHmac("sha256", key).update(`content\n${name}\n`).update(body).digest("hex");
}
