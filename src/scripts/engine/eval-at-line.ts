import { EvalFlags, type JSValueHandle, type QuickJS } from "quickjs-wasi";

/** What the package has, but does not declare. Its version is exact, and a test covers each of them. */
interface Internals {
  readonly exports: {
    readonly memory: { readonly buffer: ArrayBuffer };
    wasm_malloc(bytes: number): number;
    wasm_free(pointer: number): void;
    qjs_get_context_ptr(): number;
    JS_Eval2(context: number, code: number, length: number, options: number): bigint;
    JS_EvalFunction(context: number, compiled: bigint): bigint;
    JS_GetModuleNamespace(context: number, module: number): bigint;
    JS_FreeValue(context: number, value: bigint): void;
  };
  writeString(text: string): { readonly ptr: number; readonly len: number };
  throwIfException(handle: JSValueHandle): JSValueHandle;
}

const OPTIONS_VERSION = 1;
const OPTIONS_BYTES = 16;
const VALUE_BYTES = 8;
/** The lower half of a value that is an object is its address. */
const ADDRESS = 0xff_ff_ff_ffn;
/** The upper half of the value that stands for an exception. */
const EXCEPTION_TAG = 6n;

/** Code as the engine gets it. */
export interface NumberedCode {
  readonly code: string;
  readonly filename: string;
  /**
   * The number of its first line in stack traces. `evalCode` counts from 1, and columns in the first line
   * that it gets are wrong.
   */
  readonly line: number;
}

/** Evaluates code whose first line has a certain number in stack traces. */
export function evalAtLine(vm: QuickJS, code: NumberedCode): JSValueHandle {
  return takeValue(vm, evaluate(vm, code, EvalFlags.TYPE_GLOBAL));
}

/** A module that is evaluated. */
export interface EvaluatedModule {
  /** A promise that is settled when its top level has ended. */
  readonly evaluated: JSValueHandle;
  readonly exports: JSValueHandle;
}

/** Compiles a module. Throws if that is not possible; the function that it returns evaluates it. */
export function compileModule(vm: QuickJS, code: NumberedCode): () => EvaluatedModule {
  const { exports } = vm as unknown as Internals;
  const module = evaluate(vm, code, EvalFlags.TYPE_MODULE | EvalFlags.COMPILE_ONLY);
  if (module >> 32n === EXCEPTION_TAG) takeValue(vm, module);
  return () => {
    const context = exports.qjs_get_context_ptr();
    const evaluated = takeValue(vm, exports.JS_EvalFunction(context, module));
    // The engine keeps every module, so that its address stays valid.
    const namespace = exports.JS_GetModuleNamespace(context, Number(module & ADDRESS));
    return { evaluated, exports: takeValue(vm, namespace) };
  };
}

function evaluate(vm: QuickJS, { code, filename, line }: NumberedCode, flags: number): bigint {
  const internals = vm as unknown as Internals;
  const { exports } = internals;
  const source = internals.writeString(code);
  const name = internals.writeString(filename);
  const options = exports.wasm_malloc(OPTIONS_BYTES);
  const pointers = [source.ptr, name.ptr, options];
  try {
    if (pointers.includes(0)) throw new Error("out of memory");
    new Int32Array(exports.memory.buffer, options, 4).set([OPTIONS_VERSION, flags, name.ptr, line]);
    return exports.JS_Eval2(exports.qjs_get_context_ptr(), source.ptr, source.len, options);
  } finally {
    for (const pointer of pointers) if (pointer !== 0) exports.wasm_free(pointer);
  }
}

/** The handle of a value. Throws if it stands for an exception. */
function takeValue(vm: QuickJS, value: bigint): JSValueHandle {
  const internals = vm as unknown as Internals;
  const { exports } = internals;
  const box = exports.wasm_malloc(VALUE_BYTES);
  if (box === 0) throw new Error("out of memory");
  try {
    new BigInt64Array(exports.memory.buffer, box, 1)[0] = value;
    const handle = vm.importHandle(box);
    exports.JS_FreeValue(exports.qjs_get_context_ptr(), value);
    return internals.throwIfException(handle);
  } finally {
    exports.wasm_free(box);
  }
}
