import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ensurePrivateDir } from "../../config/directories.ts";
import { writeFileAtomic } from "../../files/write-atomic.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { withChecksum, withoutChecksum } from "../catalogue/catalogue-file.ts";
import { ensureKey, readKey } from "../catalogue/catalogue-key.ts";
import { type StorePlaces, nameOf, userPlaces } from "../catalogue/catalogue-store.ts";

/** What a tool returned, and the definition it had. */
export interface LearnedType {
  /** A digest of the definition; the type is forgotten when that changes. */
  readonly definition: string;
  readonly type: string;
  /** From how many different results it was learned. */
  readonly results: number;
}

/** The newer type, unless it was learned from fewer results of the same tool. */
export function betterType(older: LearnedType | undefined, newer: LearnedType): LearnedType;
export function betterType(older: LearnedType, newer: LearnedType | undefined): LearnedType;
export function betterType(
  older: LearnedType | undefined,
  newer: LearnedType | undefined,
): LearnedType | undefined {
  if (older === undefined || newer === undefined) return newer ?? older;
  return older.definition === newer.definition && older.results > newer.results ? older : newer;
}

/** By the own names of the tools of a server. */
export type LearnedTypeMap = ReadonlyMap<string, LearnedType>;

/** Where learned types are stored across runs. */
export interface TypeStore {
  read(identity: string): Promise<LearnedTypeMap>;
  /** Adds types to those on disk. */
  add(identity: string, types: LearnedTypeMap): Promise<void>;
}

/** Types of earlier formats may have data in them. */
const FORMAT = 3;
const MAX_BYTES = 256 * 1024;
const MAX_TOOLS = 500;
const MAX_NAME_CHARS = 128;
const MAX_TYPE_CHARS = 200;
const EXTENSION = ".types.json";

/**
 * Learned types, beside the catalogue of their server and as private as that: one file for each
 * configuration of a server. Several workbenches add to it; a lost update is learned again.
 */
export class DiskTypes implements TypeStore {
  readonly #places: StorePlaces;

  constructor(places: StorePlaces = userPlaces()) {
    this.#places = places;
  }

  async read(identity: string): Promise<LearnedTypeMap> {
    const key = await readKey(this.#places.keyFile);
    if (key === undefined) return new Map();
    const name = nameOf(identity, key, EXTENSION);
    const file = join(this.#places.folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true || found.size > MAX_BYTES) return new Map();
    return decodeTypes(await readFile(file, "utf8").catch(() => ""), name, key);
  }

  async add(identity: string, types: LearnedTypeMap): Promise<void> {
    const { folder, keyFile } = this.#places;
    const key = await ensureKey(keyFile);
    const name = nameOf(identity, key, EXTENSION);
    const all = new Map(await this.read(identity));
    for (const [tool, type] of types) {
      const better = betterType(all.get(tool), type);
      // The last ones are kept if there are too many.
      all.delete(tool);
      all.set(tool, better);
    }
    const text = encodeTypes(all, name, key);
    if (Buffer.byteLength(text) > MAX_BYTES) return;
    ensurePrivateDir(dirname(folder));
    ensurePrivateDir(folder);
    await writeFileAtomic(join(folder, name), text, { mode: 0o600 });
  }
}

function encodeTypes(types: LearnedTypeMap, name: string, key: Buffer): string {
  const kept = [...types].filter(([tool]) => tool.length <= MAX_NAME_CHARS).slice(-MAX_TOOLS);
  const tools = kept.map(([tool, { definition, type, results }]) => [
    tool,
    definition,
    type,
    results,
  ]);
  return withChecksum(JSON.stringify({ format: FORMAT, tools }), name, key);
}

function decodeTypes(text: string, name: string, key: Buffer): LearnedTypeMap {
  const types = new Map<string, LearnedType>();
  const body = withoutChecksum(text, name, key);
  const value = body === undefined ? undefined : parseJson(body);
  if (!isObject(value) || value["format"] !== FORMAT || !Array.isArray(value["tools"]))
    return types;
  for (const entry of value["tools"].slice(0, MAX_TOOLS) as unknown[]) {
    const [tool, definition, type, results] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof tool !== "string" || typeof definition !== "string") continue;
    if (typeof type !== "string" || type.length > MAX_TYPE_CHARS) continue;
    if (typeof results === "number") types.set(tool, { definition, type, results });
  }
  return types;
}
