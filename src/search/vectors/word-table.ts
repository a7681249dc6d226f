/**
 * The table of word vectors: words with similar meanings have similar vectors. scripts/train-vectors.ts makes it.
 *
 * The file is four little-endian integers (a mark, the dimensions, the number of words, the bytes of their
 * text), the words separated by line breaks, a 32-bit scale for each word, and a row of bytes for each.
 */

const MARK = 0x3156574d;
const HEADER_BYTES = 16;
const SCALE_BYTES = 4;
const MAX_BYTE = 127;

export interface WordTable {
  readonly dimensions: number;
  /** The row of each word. */
  readonly rows: ReadonlyMap<string, number>;
  readonly scales: Float32Array;
  readonly values: Int8Array;
}

export function readWordTable(file: Uint8Array): WordTable {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const mark = file.length < HEADER_BYTES ? 0 : view.getUint32(0, true);
  if (mark !== MARK) throw new Error("not a table of word vectors");
  const dimensions = view.getUint32(4, true);
  const count = view.getUint32(8, true);
  const scalesAt = HEADER_BYTES + view.getUint32(12, true);
  const valuesAt = scalesAt + count * SCALE_BYTES;
  const words = new TextDecoder().decode(file.subarray(HEADER_BYTES, scalesAt)).split("\n");
  if (words.length !== count || file.length !== valuesAt + count * dimensions)
    throw new Error("the table of word vectors is damaged");
  const scales = new Float32Array(count);
  for (let i = 0; i < count; i++) scales[i] = view.getFloat32(scalesAt + i * SCALE_BYTES, true);
  return {
    dimensions,
    rows: new Map(words.map((word, row) => [word, row])),
    scales,
    values: new Int8Array(file.buffer, file.byteOffset + valuesAt, count * dimensions),
  };
}

export function writeWordTable(words: readonly string[], vectors: Float32Array): Uint8Array {
  const dimensions = vectors.length / words.length;
  const text = new TextEncoder().encode(words.join("\n"));
  const scalesAt = HEADER_BYTES + text.length;
  const valuesAt = scalesAt + words.length * SCALE_BYTES;
  const file = new Uint8Array(valuesAt + vectors.length);
  const view = new DataView(file.buffer);
  const header = [MARK, dimensions, words.length, text.length];
  for (const [i, value] of header.entries()) view.setUint32(i * 4, value, true);
  file.set(text, HEADER_BYTES);
  for (let row = 0; row < words.length; row++) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    const scale =
      vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / MAX_BYTE || 1;
    view.setFloat32(scalesAt + row * SCALE_BYTES, scale, true);
    for (const [i, value] of vector.entries())
      view.setInt8(valuesAt + row * dimensions + i, Math.round(value / scale));
  }
  return file;
}
