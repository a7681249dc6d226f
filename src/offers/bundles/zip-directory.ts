import { NotRunnable } from "../offer.ts";
import { MAX_ENTRIES } from "./limits.ts";

/*
 * A reader for ZIP files that accepts only what bundles need and refuses everything else. There are
 * libraries, but they leave the dangerous questions to their callers: which of two entries with the
 * same name counts, what a link or a `..` means, how large everything becomes. To answer them, callers
 * read the directory a second time, with other code than the one that unpacks. Here one reader does
 * both, so what was checked is what is written; `node:zlib` does the rest.
 */

/** One file or folder of the archive, as its directory describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  /** 0 is stored, 8 is deflated. */
  readonly method: 0 | 8;
  readonly crc: number;
  readonly size: number;
  /** The compressed data in the file. */
  readonly start: number;
  readonly end: number;
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const HEADER_BYTES = 30;
const MAX_COMMENT = 0xffff;
const ZIP64 = 0xffffffff;
/** Follows the archive in a signed bundle. */
const SIGNATURE = Buffer.from("MCPB_SIG_V1");

/** The entries of an archive, in the order of its directory. Throws NotRunnable. */
export function readDirectory(bytes: Buffer): readonly ZipEntry[] {
  const { count, start, end } = directoryOf(bytes);
  if (count > MAX_ENTRIES) throw new NotRunnable(`it has more than ${MAX_ENTRIES} files`);
  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > end || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged();
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const [nameBytes = 0] = lengths;
    const next = at + ENTRY_BYTES + lengths.reduce((sum, length) => sum + length, 0);
    if (next > end) throw damaged();
    const rawName = bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    entries.push(entryAt(bytes, at, rawName, start));
    at = next;
  }
  if (at !== end) throw damaged();
  refuseOverlaps(entries);
  return entries;
}

function entryAt(bytes: Buffer, at: number, rawName: Buffer, limit: number): ZipEntry {
  const flags = bytes.readUInt16LE(at + 8);
  const method = bytes.readUInt16LE(at + 10);
  const [crc = 0, packed = 0, size = 0] = [16, 20, 24].map((o) => bytes.readUInt32LE(at + o));
  const attributes = bytes.readUInt32LE(at + 38);
  const header = bytes.readUInt32LE(at + 42);
  const name = decoded(rawName);
  const shown = `'${name}'`;
  if ([packed, size, header].includes(ZIP64)) throw new NotRunnable(`${shown} is too large`);
  if ((flags & 0x2041) !== 0) throw new NotRunnable(`${shown} is encrypted`);
  if (method !== 0 && method !== 8)
    throw new NotRunnable(`${shown} is compressed in an unusual way`);
  const mode = attributes >>> 16;
  const type = mode & 0o170000;
  const isFolder = name.endsWith("/");
  // Whatever the system that wrote it: other programs look at the type regardless of that.
  if (type !== 0 && type !== 0o100000 && type !== 0o040000)
    throw new NotRunnable(`${shown} is a link or a special file`);
  if (type === 0o040000 && !isFolder) throw new NotRunnable(`${shown} is a folder without a slash`);
  if (isFolder && size > 0) throw new NotRunnable(`${shown} is a folder with a content`);
  const start = dataStart(bytes, header, rawName, limit);
  const end = start + packed;
  if (end > limit || (method === 0 && packed !== size)) throw damaged();
  return { name, isFolder, isExecutable: (mode & 0o111) !== 0, method, crc, size, start, end };
}

/** Where the data of an entry begins. The header in front of it must have the same name. */
function dataStart(bytes: Buffer, header: number, rawName: Buffer, limit: number): number {
  const inside = header + HEADER_BYTES <= limit && bytes.readUInt32LE(header) === LOCAL_HEADER;
  if (!inside) throw damaged();
  const nameBytes = bytes.readUInt16LE(header + 26);
  const start = header + HEADER_BYTES + nameBytes + bytes.readUInt16LE(header + 28);
  const name = bytes.subarray(header + HEADER_BYTES, header + HEADER_BYTES + nameBytes);
  if (start > limit || !name.equals(rawName)) throw damaged();
  return start;
}

/** Data that several entries share is how a small file becomes a huge folder. */
function refuseOverlaps(entries: readonly ZipEntry[]): void {
  const sorted = entries.toSorted((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, { end }] of sorted.entries()) {
    const next = sorted[index + 1];
    // Between two entries there is at least the header of the second.
    if (next !== undefined && next.start - HEADER_BYTES < end)
      throw new NotRunnable("its files overlap");
  }
}

function directoryOf(bytes: Buffer): {
  readonly count: number;
  readonly start: number;
  readonly end: number;
} {
  const at = endOfDirectory(bytes);
  const [disk, firstDisk, here, count = 0] = [4, 6, 8, 10].map((o) => bytes.readUInt16LE(at + o));
  const size = bytes.readUInt32LE(at + 12);
  const start = bytes.readUInt32LE(at + 16);
  if (disk !== 0 || firstDisk !== 0 || here !== count)
    throw new NotRunnable("it is a part of a larger archive");
  // The directory ends where its end is described: nothing can hide between them.
  if (start + size !== at) throw damaged();
  return { count, start, end: at };
}

/** Whether a signature follows the files. */
export function hasSignature(bytes: Buffer, entries: readonly ZipEntry[]): boolean {
  return bytes.lastIndexOf(SIGNATURE) >= entries.reduce((last, { end }) => Math.max(last, end), 1);
}

function endOfDirectory(bytes: Buffer): number {
  const signed = bytes.lastIndexOf(SIGNATURE);
  const ends = [bytes.length, ...(signed > 0 ? [signed] : [])];
  const first = Math.max(0, Math.min(...ends) - END_BYTES - MAX_COMMENT);
  for (let at = bytes.length - END_BYTES; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) !== END_OF_DIRECTORY) continue;
    const end = at + END_BYTES + bytes.readUInt16LE(at + 20);
    if (ends.includes(end)) return at;
  }
  throw new NotRunnable("it is not a ZIP file");
}

/** Names are UTF-8, which includes ASCII; other encodings could mean another name elsewhere. */
function decoded(rawName: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rawName);
  } catch {
    throw new NotRunnable("the name of a file is not UTF-8");
  }
}

const damaged = (): NotRunnable => new NotRunnable("it is damaged or incomplete");
