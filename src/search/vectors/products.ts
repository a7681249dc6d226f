/** The products of a query with many vectors. */

import { productCode } from "./product-code.ts";

/** Vectors are multiplied in steps of as many values, so their width has to be a multiple of it. */
export const STEP = 16;
const PAGE_BYTES = 65_536;
/** Where things are in the memory of the WebAssembly: the query, the products, then vectors. */
const PRODUCTS_AT = 8_192;
const VECTORS_AT = PRODUCTS_AT + PAGE_BYTES;
/** Vectors are copied there in blocks, which stay in the cache of a processor. */
const BLOCK_BYTES = 4 * PAGE_BYTES;
const PAGES = Math.ceil((VECTORS_AT + BLOCK_BYTES) / PAGE_BYTES);
const MAX_BYTE = 127;

/** Multiplies the query with `count` vectors, which lie next to each other and are as wide as the query. */
export type Multiply = (
  query: Int16Array,
  vectors: Int8Array,
  products: Int32Array,
  count: number,
) => void;

/** The largest value that a query may have so that no product overflows. */
export function maxQueryValue(width: number): number {
  return Math.min(0x7fff, Math.floor(0x7fffffff / (MAX_BYTE * width)));
}

let fastest: Multiply | undefined;

/** The fastest way to multiply here; all have the same result. */
export function multiplication(): Multiply {
  fastest ??= wasmMultiply() ?? plainMultiply;
  return fastest;
}

/** Where there is no SIMD, or no WebAssembly at all. */
export const plainMultiply: Multiply = (query, vectors, products, count) => {
  const width = query.length;
  for (let i = 0, at = 0; i < count; i++) {
    let sum = 0;
    for (let j = 0; j < width; j++, at++) sum += (vectors[at] as number) * (query[j] as number);
    products[i] = sum;
  }
};

/** Declared here, because the types of Node 20 have no constructors of WebAssembly. */
interface WasmConstructors {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => {
    readonly exports: { readonly multiply: WasmMultiply };
  };
}

export function wasmMultiply(): Multiply | undefined {
  // The memory of WebAssembly is little-endian everywhere, arrays of numbers are not.
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) return undefined;
  try {
    const wasm = (globalThis as unknown as { WebAssembly: WasmConstructors }).WebAssembly;
    const memory = new wasm.Memory({ initial: PAGES });
    const module = new wasm.Module(productCode());
    const { exports } = new wasm.Instance(module, { host: { memory } });
    return inBlocks(memory.buffer, exports.multiply);
  } catch {
    return undefined;
  }
}

type WasmMultiply = (
  query: number,
  queryEnd: number,
  vectors: number,
  vectorsEnd: number,
  products: number,
) => void;

function inBlocks(memory: ArrayBuffer, multiply: WasmMultiply): Multiply {
  const storedQuery = new Int16Array(memory, 0, PRODUCTS_AT / 2);
  const storedProducts = new Int32Array(memory, PRODUCTS_AT, PAGE_BYTES / 4);
  const storedVectors = new Int8Array(memory, VECTORS_AT, BLOCK_BYTES);
  return (query, vectors, products, count) => {
    const width = query.length;
    storedQuery.set(query);
    const perBlock = Math.floor(BLOCK_BYTES / width);
    for (let first = 0; first < count; first += perBlock) {
      const end = Math.min(count, first + perBlock);
      storedVectors.set(vectors.subarray(first * width, end * width));
      const vectorsEnd = VECTORS_AT + (end - first) * width;
      multiply(0, 2 * width, VECTORS_AT, vectorsEnd, PRODUCTS_AT);
      products.set(storedProducts.subarray(0, end - first), first);
    }
  };
}
