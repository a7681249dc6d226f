import { createHash } from "node:crypto";

import type { ServerSettings } from "../../config/types.ts";
import { RETURN_CHARS } from "../../search/return-type.ts";
import { parseJson } from "../../text/json.ts";
import { type Shape, addToShape, mergeShape, newShape, shapeText } from "../../text/json-shape.ts";
import { asOneResult, provenShape } from "../../text/proven-shape.ts";
import { type LearnedType, type TypeStore, betterType } from "./type-store.ts";

/** Precedes a type that was learned from results: other results may differ. */
export const LEARNED_MARK = "~";

/** Changes come in bursts. */
const SAVE_AFTER_MS = 1000;

/** A tool as its server defines it. */
interface DefinedTool {
  readonly nameJson: string;
  readonly value: object;
  readonly version?: string | undefined;
}

interface ConfiguredServer {
  readonly settings: ServerSettings;
}

/** What the results of a tool had in common, in this run. */
class Samples {
  readonly definition: string;
  /** By the arguments. */
  readonly #shapes = new Map<string, Shape>();
  /** The texts in the arguments. */
  readonly #given = new Set<string>();
  /** Digests of the results; the same result again is no evidence. */
  readonly #digests = new Set<string>();

  constructor(definition: string) {
    this.definition = definition;
  }

  /** False if the value is not a new one. */
  add(value: unknown, args: string): boolean {
    const digest = digestOf(value);
    if (this.#digests.has(digest)) return false;
    this.#digests.add(digest);
    addTexts(this.#given, parseJson(args));
    const key = digestOf(args);
    const shape = this.#shapes.get(key) ?? newShape();
    this.#shapes.set(key, shape);
    addToShape(shape, value);
    return true;
  }

  /** What is certain about all of them. */
  get type(): string {
    const all = newShape();
    for (const shape of this.#shapes.values()) mergeShape(all, asOneResult(shape));
    const maxChars = RETURN_CHARS - LEARNED_MARK.length;
    return shapeText(provenShape(all, this.#given), { maxChars });
  }

  get count(): number {
    return this.#digests.size;
  }
}

/** What is known of one server. */
class ServerTypes {
  readonly identity: string;
  /** By the names of tools. A server may list them again, so that they are other objects. */
  readonly samples = new Map<string, Samples>();
  readonly types = new Map<string, LearnedType>();
  /** What was learned in this run and is not on disk yet. */
  readonly unsaved = new Map<string, LearnedType>();
  reading: Promise<void> | undefined;
  hasRead = false;

  constructor(identity: string) {
    this.identity = identity;
  }
}

/** The types of results of tools without an output schema, learned from earlier results. */
export class LearnedTypes {
  readonly #identityOf: (settings: ServerSettings) => string;
  readonly #store: TypeStore | undefined;
  readonly #servers = new WeakMap<ServerSettings, ServerTypes>();
  readonly #unsaved = new Set<ServerTypes>();
  readonly #digests = new WeakMap<object, string>();
  #timer: NodeJS.Timeout | undefined;

  /** Without a store, types are kept in memory only. */
  constructor(identityOf: (settings: ServerSettings) => string, store: TypeStore | undefined) {
    this.#identityOf = identityOf;
    this.#store = store;
  }

  /** Reads what earlier runs have learned about a server. */
  async load({ settings }: ConfiguredServer): Promise<void> {
    const known = this.#of(settings);
    known.reading ??= this.#read(known);
    await known.reading;
  }

  hasRead({ settings }: ConfiguredServer): boolean {
    return this.#servers.get(settings)?.hasRead === true;
  }

  /** The type with its mark; an empty string if nothing is known, or it is longer than `maxChars`. */
  typeOf({ settings }: ConfiguredServer, tool: DefinedTool, maxChars = RETURN_CHARS): string {
    const learned = this.#of(settings).types.get(nameOf(tool));
    if (learned === undefined || learned.definition !== this.#digestOf(tool)) return "";
    const text = `${LEARNED_MARK}${learned.type}`;
    return text.length <= maxChars ? text : "";
  }

  /** Takes a value that a tool returned, and the arguments of the call as JSON. */
  learn({ settings }: ConfiguredServer, tool: DefinedTool, value: unknown, args: string): void {
    const known = this.#of(settings);
    const name = nameOf(tool);
    const definition = this.#digestOf(tool);
    let samples = known.samples.get(name);
    if (samples?.definition !== definition) samples = new Samples(definition);
    known.samples.set(name, samples);
    if (!samples.add(value, args)) return;
    const learned = { type: samples.type, definition, results: samples.count };
    if (betterType(known.types.get(name), learned) !== learned) return;
    known.types.set(name, learned);
    known.unsaved.set(name, learned);
    this.#unsaved.add(known);
    if (this.#store !== undefined)
      this.#timer ??= setTimeout(() => void this.flush(), SAVE_AFTER_MS).unref();
  }

  /** Writes what is not on disk yet. Never rejects: what is lost is learned again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    for (const server of unsaved) {
      const types = new Map(server.unsaved);
      server.unsaved.clear();
      await this.#store?.add(server.identity, types).catch(() => undefined);
    }
  }

  #of(settings: ServerSettings): ServerTypes {
    const known = this.#servers.get(settings);
    if (known !== undefined) return known;
    const created = new ServerTypes(this.#identityOf(settings));
    this.#servers.set(settings, created);
    return created;
  }

  /** A digest of a definition, as clients see it. */
  #digestOf({ value, version = "" }: DefinedTool): string {
    let digest = this.#digests.get(value);
    if (digest === undefined) {
      digest = digestOf(value, version);
      this.#digests.set(value, digest);
    }
    return digest;
  }

  async #read(known: ServerTypes): Promise<void> {
    const stored = await this.#store?.read(known.identity).catch(() => undefined);
    for (const [name, type] of stored ?? [])
      known.types.set(name, betterType(type, known.types.get(name)));
    known.hasRead = true;
  }
}

const MAX_TEXTS = 1000;

/** Adds the texts in a value, and the parts of lists in a text, such as `"T1,T2"`. */
function addTexts(texts: Set<string>, value: unknown): void {
  const open = [value];
  while (open.length > 0 && texts.size < MAX_TEXTS) {
    const next = open.pop();
    if (typeof next === "object" && next !== null) open.push(...Object.values(next));
    if (typeof next === "string")
      for (const part of next.slice(0, MAX_TEXTS).split(/[,;\n]/)) texts.add(part.trim());
  }
}

function digestOf(value: unknown, version = ""): string {
  const text = JSON.stringify(value) + version;
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

function nameOf({ nameJson }: DefinedTool): string {
  return JSON.parse(nameJson) as string;
}
