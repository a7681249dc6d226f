/**
 * The code that runs in the sandbox before the script. It keeps the table of open requests, so that
 * a script can be stopped and continued elsewhere. The functions of the host are never reachable
 * from the script, and everything it uses is taken before the script can replace it.
 *
 * The value is an object with `begin`, `settle` and `openRequests`.
 */
export const PRELUDE = String.raw`(function (send, log, emitMedia, done, maxCalls, maxParallel) {
"use strict";
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { defineProperty, create, keys, hasOwn, fromEntries } = Object;
const { isArray, from } = Array;
const { prototype: { join } } = Array;
const { prototype: { slice } } = String;
const { prototype: { trim } } = String;
const { isFinite } = Number;
const [$Error, $TypeError, $Promise, $Proxy, $String, $Map, $Set] = [Error, TypeError, Promise, Proxy, String, Map, Set];
const outOfMemory = new InternalError("out of memory");
const pending = create(null);
const queue = create(null);
let last = 0, head = 0, tail = 0, open = 0, calls = 0;

class ToolError extends $Error {
  constructor(message, tool, code) {
    super(message);
    defineProperty(this, "tool", { value: tool, enumerable: true });
    defineProperty(this, "code", { value: code, enumerable: true });
  }
}
defineProperty(ToolError.prototype, "name", { value: "ToolError" });

function pump() {
  while (open < maxParallel && head < tail) {
    const next = queue[head];
    delete queue[head++];
    open++;
    send(next.id, next.kind, next.subject, next.args);
  }
}
function request(kind, subject, args) {
  const at = kind === "sleep" ? undefined : new $Error();
  return new $Promise((resolve, reject) => {
    if (kind !== "sleep" && ++calls > maxCalls) {
      reject(new ToolError("The script made more than " + maxCalls + " calls (setting scripts.calls)", subject, "LIMIT"));
      return;
    }
    const id = ++last;
    pending[id] = { resolve, reject, at, kind, subject };
    queue[tail++] = { id, kind, subject, args };
    pump();
  });
}
function textValue(text) {
  let value;
  try { value = parse(text); } catch { return text; }
  // A number with more digits than JavaScript keeps stays a text.
  if (typeof value === "number" && $String(value) !== apply(trim, text, [])) return text;
  return value;
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
      const { message, code } = parse(text);
      const error = new ToolError(message, waiting.subject, code);
      defineProperty(error, "stack", { value: waiting.at.stack, writable: true, configurable: true });
      waiting.reject(error);
    } else waiting.resolve(kind === "text" ? textValue(text) : parse(text));
  } catch (caught) {
    const error = typeof caught === "object" && caught !== null ? caught : outOfMemory;
    if (waiting.at !== undefined) defineProperty(error, "stack", { value: waiting.at.stack, writable: true, configurable: true });
    waiting.reject(error);
  }
  pump();
}
function callTool(kind, path, args) {
  if (typeof path !== "string") throw new $TypeError('call expects "toolbox/server/tool"');
  if (args === undefined) args = {};
  if (typeof args !== "object" || args === null || isArray(args))
    throw new $TypeError("The arguments of " + path + " must be one object");
  return request(kind, path, stringify(args));
}
function level(path, depth) {
  return new $Proxy(() => {}, {
    get(_, key) {
      if (typeof key !== "string" || key === "then" || depth === 3) return undefined;
      return level(depth === 0 ? key : path + "/" + key, depth + 1);
    },
    apply(_, __, given) {
      if (depth !== 3) throw new $TypeError("tools." + path + " is not a tool; write tools.TOOLBOX.SERVER.TOOL(arguments)");
      return callTool("call", path, given[0]);
    },
    has: () => false, set: () => false, deleteProperty: () => false, defineProperty: () => false,
    ownKeys: () => [], getPrototypeOf: () => null, setPrototypeOf: () => false,
  });
}
function shown(value) {
  if (typeof value === "string") return value;
  try {
    if (value instanceof $Error) return value.name + ": " + value.message;
    return stringify(value) ?? $String(value);
  } catch { return typeof value; }
}
function print(...values) {
  const texts = [];
  for (let i = 0; i < values.length; i++) defineProperty(texts, i, { value: shown(values[i]) });
  log(apply(join, texts, [" "]));
}
function sleep(ms) {
  const time = +ms;
  if (!isFinite(time) || time < 0) throw new $TypeError("sleep expects a number of milliseconds");
  return request("sleep", $String(time), "");
}
function emit(media) {
  const id = typeof media === "object" && media !== null ? media.$media : undefined;
  if (typeof id !== "string" || !emitMedia(id)) throw new $TypeError("emit expects a media block of a result, { $media, mimeType, bytes }, and at most 8 MB in all");
}
function storedResults(texts) {
  const values = create(null);
  return new $Proxy(create(null), {
    get(_, key) {
      if (typeof key !== "string") return undefined;
      if (key in values) return values[key];
      if (hasOwn(texts, key)) return (values[key] = textValue(texts[key]));
      if (key[0] !== "r") return undefined;
      throw new $Error("There is no stored result '" + key + "': it has expired, or its id is not written in the script as results." + key);
    },
    has: (_, key) => hasOwn(texts, key),
    ownKeys: () => keys(texts),
    getOwnPropertyDescriptor: (_, key) => hasOwn(texts, key) ? { value: textValue(texts[key]), enumerable: true, configurable: true } : undefined,
    set: () => false, deleteProperty: () => false, defineProperty: () => false, setPrototypeOf: () => false,
  });
}
function describe(error) {
  try {
    if (typeof error !== "object" || error === null) return { name: "Error", message: "The script threw " + shown(error), stack: "" };
    const { name, message, stack } = error;
    if (message === undefined) return { name: "Error", message: "The script threw " + shown(error), stack: "" };
    return { name: $String(name), message: $String(message), stack: typeof stack === "string" ? apply(slice, stack, [0, 4000]) : "" };
  } catch { return { name: "Error", message: "The script threw a value that cannot be shown", stack: "" }; }
}
function fail(error) { done(false, stringify(describe(error))); }
function begin(run, input, results) {
  const global = globalThis;
  const define = (name, value) => defineProperty(global, name, { value, writable: true, configurable: true });
  define("input", parse(input));
  define("results", storedResults(parse(results)));
  (async () => {
    try {
      const value = await run();
      done(true, typeof value === "string" ? value : stringify(value));
    } catch (error) { fail(error); }
  })();
}

for (const name of ["DOMException", "SharedArrayBuffer", "eval", "queueMicrotask", "escape", "unescape", "InternalError"]) delete globalThis[name];
for (const [type, write] of [[$Map, (value) => fromEntries(value)], [$Set, (value) => from(value)], [BigInt, $String]])
  defineProperty(type.prototype, "toJSON", { value() { return write(this); }, writable: true, configurable: true });
const call = (path, args) => callTool("call", path, args);
defineProperty(call, "raw", { value: (path, args) => callTool("raw", path, args) });
const console = {};
for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = print;
for (const [name, value] of [["tools", level("", 0)], ["call", call], ["console", console], ["emit", emit], ["sleep", sleep], ["ToolError", ToolError]])
  defineProperty(globalThis, name, { value, writable: true, configurable: true });
return { begin, settle };
})`;
