/**
 * WebAssembly that multiplies a query with one vector after the other, 16 values at a time. JavaScript can only
 * multiply one at a time, which takes about thirty times as long.
 *
 * It is written out here because it is a single function; a compiler for it would be one more dependency. In the
 * text format of WebAssembly:
 *
 *     (func (param $query i32) (param $queryEnd i32) (param $vector i32) (param $vectorsEnd i32) (param $product i32)
 *           (local $at i32) (local $sums v128) (local $values v128)
 *       (loop $vectors
 *         (local.set $sums (v128.const i32x4 0 0 0 0))
 *         (local.set $at (local.get $query))
 *         (loop $values
 *           (local.set $values (v128.load (local.get $vector)))
 *           $sums += dot(first half of $values, (v128.load (local.get $at)))
 *           $sums += dot(second half of $values, (v128.load offset=16 (local.get $at)))
 *           $vector += 16
 *           $at += 32
 *           (br_if $values (i32.lt_u (local.get $at) (local.get $queryEnd))))
 *         (i32.store (local.get $product) sum of the four $sums)
 *         $product += 4
 *         (br_if $vectors (i32.lt_u (local.get $vector) (local.get $vectorsEnd)))))
 */

const [QUERY, QUERY_END, VECTOR, VECTORS_END, PRODUCT, AT, SUMS, VALUES] = [0, 1, 2, 3, 4, 5, 6, 7];
const PARAMETERS = 5;

const I32 = 0x7f;
const V128 = 0x7b;
const FUNCTION = 0x60;
const NO_RESULT = 0x40;
const LOOP = 0x03;
const END = 0x0b;
const CONTINUE_IF = [0x0d, 0];
const LESS_UNSIGNED = 0x49;
const ADD = 0x6a;
const STORE = [0x36, 2, 0];
const SIMD = 0xfd;
const NO_SUMS = [SIMD, 0x0c, ...new Uint8Array(16)];
const FIRST_HALF = [SIMD, 0x87, 0x01];
const SECOND_HALF = [SIMD, 0x88, 0x01];
const DOT = [SIMD, 0xba, 0x01];
const ADD_LANES = [SIMD, 0xae, 0x01];

type Code = readonly number[];

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const number = (value: number): Code => [0x41, value];
const load = (offset: number): Code => [SIMD, 0x00, 0, offset];
const lane = (index: number): Code => [...get(SUMS), SIMD, 0x1b, index];

function advance(local: number, by: number): Code {
  return [get(local), number(by), ADD, set(local)].flat();
}

function continueIfLess(local: number, end: number): Code {
  return [get(local), get(end), LESS_UNSIGNED, CONTINUE_IF].flat();
}

/** Adds the products with the next values of the query to the sums. */
function addProducts(half: Code, offset: number): Code {
  return [get(VALUES), half, get(AT), load(offset), DOT, ADD_LANES].flat();
}

const NEXT_VALUES: readonly Code[] = [
  get(VECTOR),
  load(0),
  set(VALUES),
  get(SUMS),
  addProducts(FIRST_HALF, 0),
  addProducts(SECOND_HALF, 16),
  set(SUMS),
  advance(VECTOR, 16),
  advance(AT, 32),
  continueIfLess(AT, QUERY_END),
];

const STORE_PRODUCT: readonly (Code | number)[] = [
  get(PRODUCT),
  lane(0),
  lane(1),
  ADD,
  lane(2),
  ADD,
  lane(3),
  ADD,
  STORE,
  advance(PRODUCT, 4),
];

const MULTIPLY: Code = [
  [LOOP, NO_RESULT],
  NO_SUMS,
  set(SUMS),
  get(QUERY),
  set(AT),
  [LOOP, NO_RESULT],
  NEXT_VALUES.flat(),
  END,
  STORE_PRODUCT.flat(),
  continueIfLess(VECTOR, VECTORS_END),
  END,
  END,
].flat();

/** A module that imports the memory `host.memory` and exports the function `multiply`. */
export function productCode(): Uint8Array<ArrayBuffer> {
  const parameters = new Uint8Array(PARAMETERS).fill(I32);
  const locals = [2, 1, I32, 2, V128];
  const body = [...locals, ...MULTIPLY];
  const parts = [
    [0, ...bytes("asm"), 1, 0, 0, 0],
    section(1, [1, FUNCTION, PARAMETERS, ...parameters, 0]),
    section(2, [1, ...named("host"), ...named("memory"), 2, 0, 1]),
    section(3, [1, 0]),
    section(7, [1, ...named("multiply"), 0, 0]),
    section(10, [1, ...size(body), ...body]),
  ];
  return Uint8Array.from(parts.flat());
}

function section(id: number, content: Code): number[] {
  return [id, ...size(content), ...content];
}

/** Seven bits in each byte; two bytes are enough here. */
function size({ length }: Code): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
}

function named(name: string): number[] {
  return [name.length, ...bytes(name)];
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
