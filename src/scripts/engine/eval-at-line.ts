import type { JSValueHandle, QuickJS } from "quickjs-wasi";

/** What the package has, but does not declare. Its version is exact, and a test covers each of them. */
interface Internals {
  readonly exports: {
    readonly memory: { readonly buffer: ArrayBuffer };
    wasm_malloc(bytes: number): number;
    wasm_free(pointer: number): void;
    qjs_get_context_ptr(): number;
    JS_Eval2(context: number, code: number, length: number, options: number): bigint;
    JS_FreeValue(context: number, value: bigint): void;
  };
  writeString(text: string): { readonly ptr: number; readonly len: number };
  throwIfException(handle: JSValueHandle): JSValueHandle;
}

const OPTIONS_VERSION = 1;
const OPTIONS_BYTES = 16;
const VALUE_BYTES = 8;

/**
 * Evaluates code whose first line has a certain number in stack traces. `evalCode` counts from 1, and
 * columns in the first line that it gets are wrong.
 */
export function evalAtLine(
  vm: QuickJS,
  code: string,
  filename: string,
  line: number,
): JSValueHandle {
  const internals = vm as unknown as Internals;
  const { exports } = internals;
  const source = internals.writeString(code);
  const name = internals.writeString(filename);
  const options = exports.wasm_malloc(OPTIONS_BYTES);
  const box = exports.wasm_malloc(VALUE_BYTES);
  const pointers = [source.ptr, name.ptr, options, box];
  try {
    if (pointers.includes(0)) throw new Error("out of memory");
    new Int32Array(exports.memory.buffer, options, 4).set([OPTIONS_VERSION, 0, name.ptr, line]);
    const context = exports.qjs_get_context_ptr();
    const value = exports.JS_Eval2(context, source.ptr, source.len, options);
    new BigInt64Array(exports.memory.buffer, box, 1)[0] = value;
    const handle = vm.importHandle(box);
    exports.JS_FreeValue(context, value);
    return internals.throwIfException(handle);
  } finally {
    for (const pointer of pointers) if (pointer !== 0) exports.wasm_free(pointer);
  }
}
