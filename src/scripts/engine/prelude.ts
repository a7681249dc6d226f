import { SCRIPT_META_KEY } from "../script-text.ts";
import { CALL_PLACE } from "./call-place.ts";

/**
 * The code that runs in the sandbox before the script. It keeps the table of open requests, so that
 * a script can be stopped and continued elsewhere. The functions of the host are never reachable
 * from the script, and everything it uses is taken before the script can replace it.
 *
 * The value is an object with `prepare`, which defines what a script starts with, `begin` and `beginModule`,
 * which start it, and `settle`.
 */
export const PRELUDE = String.raw`(function (send, log, emitMedia, done, maxCalls, maxParallel) {
"use strict";
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { defineProperty, create, keys, hasOwn, fromEntries, getPrototypeOf } = Object;
const { isArray, from } = Array;
const { prototype: { join } } = Array;
const { prototype: { slice, trim, replaceAll } } = String;
const { isFinite } = Number;
const { now } = Date;
const [$SyntaxError, $RangeError] = [SyntaxError, RangeError];
const [$Error, $TypeError, $Promise, $Proxy, $String, $Map, $Set] = [Error, TypeError, Promise, Proxy, String, Map, Set];
const outOfMemory = new InternalError("out of memory");
const pending = create(null);
const queue = create(null);
const generators = [getPrototypeOf(function* () {}), getPrototypeOf(async function* () {})];
let last = 0, head = 0, tail = 0, open = 0, calls = 0;
// Whether the top level of a module is evaluated.
let isLoading = false;
let given;
const TOO_DEEP = "Maximum call stack size exceeded";
// An error about what the script returned.
let returnError;

class ToolError extends $Error {
  constructor(message, tool, more) {
    super(message);
    const define = (name, value) => value === undefined || defineProperty(this, name, { __proto__: null, value, enumerable: true });
    define("tool", tool);
    define("code", more?.code);
    define("text", more?.text);
    define("data", more?.data);
    define("result", more?.result);
  }
}
defineProperty(ToolError.prototype, "name", { __proto__: null, value: "ToolError" });

${CALL_PLACE}
function pump() {
  while (open < maxParallel && head < tail) {
    const next = queue[head];
    delete queue[head++];
    open++;
    send(next.id, next.kind, next.subject, next.args);
  }
}
// got and name: see stackOf.
function request(kind, subject, args, got, name) {
  const at = kind === "sleep" ? undefined : new $Error();
  return new $Promise((resolve, reject) => {
    if (kind !== "sleep" && ++calls > maxCalls) {
      reject(placed(new ToolError("The script made more than " + maxCalls + " calls (setting scripts.calls)", subject, { code: "LIMIT" }), got, name));
      return;
    }
    const id = ++last;
    pending[id] = { resolve, reject, at, got, name, kind, subject };
    queue[tail++] = { id, kind, subject, args };
    pump();
  });
}
// Only what is not JSON stays a text; JSON that cannot be parsed here is an error.
function parseJson(text, what, instead = "") {
  try { return parse(text); } catch (error) {
    if (error instanceof $SyntaxError) throw error;
    throw new $Error(error instanceof $RangeError
      ? what + " is nested too deeply for a script" + instead
      : what + " needs more memory than a script has (setting scripts.memoryMb)" + instead);
  }
}
function textValue(text, what, instead) {
  let value;
  try { value = parseJson(text, what, instead); } catch (error) {
    if (error instanceof $SyntaxError) return text;
    throw error;
  }
  // A number with more digits than JavaScript keeps stays a text.
  if (typeof value === "number" && $String(value) !== apply(trim, text, [])) return text;
  return value;
}
function atCall(error, { at, got, name }) {
  return defineProperty(error, "stack", { __proto__: null, value: stackOf(at, got, name), writable: true, configurable: true });
}
function settle(id, kind, text) {
  const waiting = pending[id];
  if (waiting === undefined) return;
  delete pending[id];
  open--;
  try {
    // There was no memory for the text itself.
    if (typeof text !== "string") throw outOfMemory;
    if (kind === "error") {
      const more = parse(text);
      waiting.reject(atCall(new ToolError(more.message, waiting.subject, more), waiting));
    } else waiting.resolve((kind === "text" ? textValue : parseJson)(text, "The result of " + waiting.subject));
  } catch (caught) {
    const error = typeof caught === "object" && caught !== null ? caught : outOfMemory;
    waiting.reject(waiting.at === undefined ? error : atCall(error, waiting));
  }
  pump();
}
function callTool(kind, path, args, got, name) {
  try {
    if (isLoading) throw new ToolError("Tools can be called only in the exported function", path, { code: "NOT_RUNNING" });
    if (typeof path !== "string") throw new $TypeError('call expects "toolbox/server/tool"');
    if (args === undefined) args = {};
    if (typeof args !== "object" || args === null || isArray(args))
      throw new $TypeError("The arguments of " + path + " must be one object");
    return request(kind, path, written(args, "The arguments of " + path + " have"), got, name);
  } catch (error) { throw placed(error, got, name); }
}
const NOT_TOOLS = { then: 1, toJSON: 1, toLocaleString: 1, valueOf: 1 };
function level(path, depth, own) {
  const got = new $Error();
  const name = () => "tools." + apply(replaceAll, path, ["/", "."]);
  return new $Proxy(() => {}, {
    get(_, key) {
      if (key === "toString") return name;
      // What the language itself asks for must not become a call.
      if (typeof key !== "string" || depth === 3 || hasOwn(NOT_TOOLS, key)) return undefined;
      return level(depth === 0 ? key : path + "/" + key, depth + 1, key);
    },
    apply(_, __, given) {
      if (depth !== 3) throw placed(new $TypeError(name() + " is not a tool; write tools.TOOLBOX.SERVER.TOOL(arguments)"), got, own);
      return callTool("call", path, given[0], got, own);
    },
    has: () => false, set: () => false, deleteProperty: () => false, defineProperty: () => false,
    ownKeys: () => [], getPrototypeOf: () => null, setPrototypeOf: () => false,
  });
}
// Replaces objects that contain themselves. onCircle gets the path of each.
function withoutCircles(onCircle) {
  const above = create(null), paths = create(null);
  let depth = 0;
  return function (key, value) {
    if (typeof value !== "object" || value === null) return value;
    while (depth > 0 && above[depth] !== this) depth--;
    const path = depth < 2 ? key : paths[depth] + "." + key;
    for (let i = 1; i <= depth; i++) if (above[i] === value) {
      onCircle?.(path);
      return "[Circular]";
    }
    above[++depth] = value;
    paths[depth] = path;
    return value;
  };
}
// The JSON of a value, which must not contain itself.
function written(value, what) {
  try { return stringify(value); } catch (error) {
    if (error instanceof $RangeError && error.message === TOO_DEEP)
      throw new $TypeError(what + " a value that is nested too deeply, or contains itself");
    let circle;
    if (error instanceof $TypeError) try { stringify(value, withoutCircles((path) => { circle ??= path; })); } catch {}
    throw circle === undefined ? error : new $TypeError(what + " a value that contains itself; leave out '" + circle + "'");
  }
}
function shown(value) {
  if (typeof value === "string") return value;
  try {
    if (value instanceof $Error) return value.name + ": " + value.message;
    let text;
    try { text = stringify(value); } catch { text = stringify(value, withoutCircles()); }
    return text ?? $String(value);
  } catch { return typeof value; }
}
let indent = "";
function textOf(values, first, separator = " ") {
  const texts = [];
  for (let i = first; i < values.length; i++) defineProperty(texts, i - first, { __proto__: null, value: shown(values[i]) });
  return apply(join, texts, [separator]);
}
function write(text) { log(indent === "" ? text : indent + apply(replaceAll, text, ["\n", "\n" + indent])); }
function print(...values) { write(textOf(values, 0)); }
function newConsole() {
  const counts = create(null), times = create(null);
  const label = (name) => name === undefined ? "default" : shown(name);
  const elapsed = (name, more) => {
    const started = times[label(name)];
    write(label(name) + ": " + (started === undefined ? "no such timer" : now() - started + " ms") + more);
  };
  const group = (...values) => {
    if (values.length > 0) apply(print, undefined, values);
    if (indent.length < 40) indent += "  ";
  };
  const console = {
    dir: (value) => write(shown(value)),
    table(rows) {
      if (typeof rows !== "object" || rows === null) return print(rows);
      const names = keys(rows);
      for (let i = 0; i < names.length; i++) write(names[i] + ": " + shown(rows[names[i]]));
    },
    trace: (...values) => write("Trace: " + textOf(values, 0) + "\n" + apply(replaceAll, new $Error().stack, [/ .*prelude:.*\n/g, ""])),
    assert(...values) { if (!values[0]) write("Assertion failed" + (values.length > 1 ? ": " + textOf(values, 1) : "")); },
    count(name) { write(label(name) + ": " + (counts[label(name)] = (counts[label(name)] ?? 0) + 1)); },
    countReset(name) { delete counts[label(name)]; },
    time(name) { times[label(name)] = now(); },
    timeLog: (name, ...values) => elapsed(name, values.length > 0 ? " " + textOf(values, 0) : ""),
    timeEnd(name) { elapsed(name, ""); delete times[label(name)]; },
    group, groupCollapsed: group,
    groupEnd() { indent = apply(slice, indent, [2]); },
    clear() {}, dirxml: print,
  };
  for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = print;
  return console;
}
function sleep(ms) {
  if (isLoading) throw new $Error("sleep can be used only in the exported function");
  const time = +ms;
  if (!isFinite(time) || time < 0) throw new $TypeError("sleep expects a number of milliseconds");
  return request("sleep", $String(time), "");
}
function emit(media) {
  const id = typeof media === "object" && media !== null ? media.$media : undefined;
  if (typeof id !== "string") throw new $TypeError("emit expects a media block of a result: { $media, mimeType, bytes }");
  const problem = emitMedia(id);
  if (problem === "unknown") throw new $Error("emit: no result of this script has the media block '" + id + "'");
  if (problem !== "") throw new $Error("emit: the media of a result may have at most 8 MB in all");
}
function storedResults(texts) {
  const values = create(null);
  function missing(key) { return new $Error("There is no stored result '" + key + "': it has expired, or its id is not written in the script"); }
  function text(id) {
    if (!hasOwn(texts, id)) throw missing(id);
    return texts[id];
  }
  function value(key) {
    if (!(key in values)) values[key] = textValue(texts[key], "results." + key, "; results.text(\"" + key + "\") is its text");
    return values[key];
  }
  return new $Proxy(create(null), {
    get(_, key) {
      if (typeof key !== "string") return undefined;
      if (hasOwn(texts, key)) return value(key);
      if (key === "text") return text;
      if (key[0] !== "r") return undefined;
      throw missing(key);
    },
    has: (_, key) => hasOwn(texts, key),
    ownKeys: () => keys(texts),
    getOwnPropertyDescriptor: (_, key) => hasOwn(texts, key) ? { __proto__: null, value: value(key), enumerable: true, configurable: true } : undefined,
    set: () => false, deleteProperty: () => false, defineProperty: () => false, setPrototypeOf: () => false,
  });
}
// A value that was thrown instead of an error.
function thrown(value) { return { name: "Error", message: "The script threw " + shown(value) + ", which is not an Error", stack: "", isValue: true }; }
function messageOf({ message, errors, cause }) {
  const text = shown(message);
  const causes = isArray(errors) ? textOf(errors, 0, "; ") : cause === undefined ? "" : shown(cause);
  if (causes === "") return text;
  return (text === "" ? "" : text + " ") + "(caused by " + apply(slice, causes, [0, 1000]) + ")";
}
// Whether an error is that of another script, which has described it.
function isNested(error) { return error instanceof ToolError && error.result?._meta?.["${SCRIPT_META_KEY}"] !== undefined; }
function describe(error) {
  try {
    if (typeof error !== "object" || error === null) return thrown(error);
    const { name, message, stack } = error;
    if (message === undefined) return thrown(error);
    const isValue = typeof stack !== "string";
    return { name: typeof name === "string" && name !== "" ? name : "Error", message: messageOf(error), stack: isValue ? "" : apply(slice, stack, [0, 4000]), isValue, isReturned: error === returnError, isNested: isNested(error) };
  } catch { return { name: "Error", message: "The script threw a value that cannot be shown", stack: "" }; }
}
function unsent() {
  let count = 0;
  for (let i = head; i < tail; i++) if (queue[i].kind !== "sleep") count++;
  return count;
}
function fail(error) { done(false, stringify(describe(error)), unsent()); }
function prepare(input, results, isModule, source) {
  const global = globalThis;
  const define = (name, value) => defineProperty(global, name, { __proto__: null, value, writable: true, configurable: true });
  isLoading = isModule === 1;
  code = source;
  given = parse(input);
  define("input", given);
  define("results", storedResults(results));
}
function returnedText(value) {
  if (typeof value === "string") return value;
  try {
    if (typeof value !== "function" && typeof value !== "symbol") return written(value, "The script returned");
    throw new $TypeError("The script returned a " + typeof value + ", which cannot be shown. Call it, or return a value");
  } catch (error) { throw returnError = error; }
}
function begin(run) {
  (async () => {
    try {
      const value = await run();
      done(true, returnedText(value), unsent());
    } catch (error) { fail(error); }
  })();
}
function kindOf(run) {
  return typeof run === "function" && (getPrototypeOf(run) === generators[0] || getPrototypeOf(run) === generators[1]) ? "generator" : typeof run;
}
function beginModule(evaluated, exports, use) {
  begin(async () => {
    await evaluated;
    isLoading = false;
    const { description, input: schema, annotations, run } = exports;
    if (use === "run") return run(given);
    return stringify({ description, input: schema, annotations, run: kindOf(run) });
  });
}

for (const name of ["DOMException", "SharedArrayBuffer", "eval", "queueMicrotask", "escape", "unescape", "InternalError"]) delete globalThis[name];
const errorFields = ({ name, message, tool, code }) => ({ name, message, tool, code });
for (const [type, write] of [[$Map, (value) => fromEntries(value)], [$Set, (value) => from(value)], [BigInt, $String], [$Error, errorFields]])
  defineProperty(type.prototype, "toJSON", { __proto__: null, value() { return write(this); }, writable: true, configurable: true });
function newCall() {
  const got = new $Error();
  const call = (path, args) => callTool("call", path, args, got, "call");
  return defineProperty(call, "raw", { __proto__: null, value: (path, args) => callTool("raw", path, args, got, "raw") });
}
// Every use of the name gets a function of its own, which knows its place.
defineProperty(globalThis, "call", {
  get: newCall,
  set(value) { defineProperty(globalThis, "call", { __proto__: null, value, writable: true, configurable: true }); },
  configurable: true,
});
const console = newConsole();
for (const [name, value] of [["tools", level("", 0, "tools")], ["console", console], ["emit", emit], ["sleep", sleep], ["ToolError", ToolError]])
  defineProperty(globalThis, name, { __proto__: null, value, writable: true, configurable: true });
return { prepare, begin, beginModule, settle };
})`;
