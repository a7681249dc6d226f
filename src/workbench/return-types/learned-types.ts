import { createHash } from "node:crypto";

import type { ServerSettings } from "../../config/types.ts";
import { RETURN_CHARS } from "../../search/return-type.ts";
import { type Shape, addToShape, newShape, shapeText } from "../../text/json-shape.ts";
import type { LearnedType, TypeStore } from "./type-store.ts";

/** Precedes a type that was learned from results: other results may differ. */
export const LEARNED_MARK = "~";

/** Changes come in bursts. */
const SAVE_AFTER_MS = 1000;

/** A tool as its server defines it. */
interface DefinedTool {
  readonly nameJson: string;
  readonly value: object;
}

interface ConfiguredServer {
  readonly settings: ServerSettings;
}

/** What is known of one server. */
class ServerTypes {
  readonly identity: string;
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
  readonly #shapes = new WeakMap<object, Shape>();
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

  /** Takes a value that a tool returned. */
  learn({ settings }: ConfiguredServer, tool: DefinedTool, value: unknown): void {
    const known = this.#of(settings);
    const name = nameOf(tool);
    const shape = this.#shapes.get(tool.value) ?? newShape();
    this.#shapes.set(tool.value, shape);
    addToShape(shape, value);
    const type = shapeText(shape, { maxChars: RETURN_CHARS - LEARNED_MARK.length });
    const definition = this.#digestOf(tool);
    const before = known.types.get(name);
    if (before?.type === type && before.definition === definition) return;
    known.types.set(name, { type, definition });
    known.unsaved.set(name, { type, definition });
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
  #digestOf({ value }: DefinedTool): string {
    let digest = this.#digests.get(value);
    if (digest === undefined) {
      digest = createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
      this.#digests.set(value, digest);
    }
    return digest;
  }

  async #read(known: ServerTypes): Promise<void> {
    const stored = await this.#store?.read(known.identity).catch(() => undefined);
    // What this run has learned is newer.
    for (const [name, type] of stored ?? [])
      if (!known.types.has(name)) known.types.set(name, type);
    known.hasRead = true;
  }
}

function nameOf({ nameJson }: DefinedTool): string {
  return JSON.parse(nameJson) as string;
}
