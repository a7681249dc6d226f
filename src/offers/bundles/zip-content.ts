import { crc32, inflateRawSync } from "node:zlib";

import { NotRunnable } from "../offer.ts";
import { HARMLESS_BYTES, MAX_ENTRY_BYTES, MAX_RATIO, MAX_UNPACKED_BYTES } from "./limits.ts";
import type { ZipEntry } from "./zip-directory.ts";

/** Refuses an archive that would become too large, by the sizes in its directory. */
export function checkSizes(entries: readonly ZipEntry[], packedBytes: number): void {
  let total = 0;
  for (const { name, size } of entries) {
    if (size > MAX_ENTRY_BYTES) throw new NotRunnable(`'${name}' is too large`);
    total += size;
  }
  if (total > MAX_UNPACKED_BYTES)
    throw new NotRunnable(`it is larger than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB unpacked`);
  if (total > HARMLESS_BYTES && total > packedBytes * MAX_RATIO)
    throw new NotRunnable("it becomes more than a hundred times larger when it is unpacked");
}

/** The content of a file. It must have the size and the checksum of the directory. */
export function contentOf(bytes: Buffer, entry: ZipEntry): Buffer {
  const { name, method, start, end, size, crc } = entry;
  const packed = bytes.subarray(start, end);
  const content = method === 0 ? packed : inflated(packed, size, name);
  if (content.length !== size || crc32(content) !== crc)
    throw new NotRunnable(`'${name}' is damaged`);
  return content;
}

function inflated(packed: Buffer, size: number, name: string): Buffer {
  try {
    // One byte more than stated is enough to notice that the directory is wrong.
    return inflateRawSync(packed, { maxOutputLength: size + 1 });
  } catch {
    throw new NotRunnable(`'${name}' is damaged`);
  }
}
