/** Scripts that try to stop, fill or leave the sandbox, and how each of them has to end. */

export interface HostileScript {
  readonly name: string;
  readonly script: string;
  /** What the answer has to say. */
  readonly ends: RegExp;
}

/** Small, so that every script ends soon. */
export const HOSTILE_LIMITS = { cpuMs: 500, memoryMb: 32, totalMs: 3_000, calls: 100, parallel: 8 };

const CPU = /computed for more than 500 ms/;
const MEMORY = /out of memory|more than 32 MB/;
const CPU_OR_MEMORY = /computed for more than 500 ms|out of memory|more than 32 MB/;
const CALLS_OR_CPU = /more than 100 calls|computed for more than 500 ms/;
const STACK = /Maximum call stack size exceeded|stack overflow/;
const NOTHING =
  /^"?undefined"?$|^\[\]$|is not defined|is not a function|cannot read|not a constructor|returned nothing/;

const script = (name: string, ends: RegExp, text: string): HostileScript => ({
  name,
  ends,
  script: text,
});

const LOOPS = [
  script("a loop", CPU, "for (;;) {}"),
  script("a loop with await", CPU, "for (;;) await null;"),
  // Each promise waits for the next, so either limit may be reached first.
  script(
    "a loop of promises",
    CPU_OR_MEMORY,
    "const f = () => Promise.resolve().then(f); await f();",
  ),
  script("a loop that catches", CPU, "for (;;) { try { for (;;) {} } catch {} }"),
  script("a loop in finally", CPU, "try { for (;;) {} } finally { for (;;) {} }"),
  script("a loop in a getter", CPU, "return { get x() { for (;;) {} } };"),
  script("a loop in toString", CPU, "return `${{ toString() { for (;;) {} } }}`;"),
  script("a loop in toJSON", CPU, "return { toJSON() { for (;;) {} } };"),
  script("a loop in a proxy", CPU, "return new Proxy({}, { ownKeys() { for (;;) {} } });"),
  script("a loop in a comparator", CPU, "[2, 1].sort(() => { for (;;) {} });"),
  script(
    "an endless generator",
    CPU_OR_MEMORY,
    "return [...(function* () { for (;;) yield 1; })()];",
  ),
  script(
    "an endless async generator",
    CPU,
    "for await (const x of (async function* () { for (;;) yield 1; })()) x;",
  ),
  script("an endless chain of thenables", CPU, "const t = { then(r) { r(t); } }; return t;"),
  script("a loop after the end", CPU, "Promise.resolve().then(() => { for (;;) {} }); return 1;"),
];

const NATIVE = [
  script("a join of holes", CPU_OR_MEMORY, "return (new Array(3e7) + '').length;"),
  script("a search in holes", CPU_OR_MEMORY, "return new Array(4e9).includes(1);"),
  script("filling an array", CPU_OR_MEMORY, "return new Array(4e9).fill(0).length;"),
  script(
    "a huge power",
    /computed for|out of memory|too large/,
    "return String((2n ** 4000000n) ** 2n).length;",
  ),
  script("a huge text", MEMORY, "return 'x'.padEnd(2 ** 29).length;"),
  script(
    "a regular expression that backtracks",
    CPU,
    "return /^(a+)+$/.test('a'.repeat(40) + 'b');",
  ),
  script("another that backtracks", CPU, "return /(x+x+)+y/.test('x'.repeat(60));"),
  script(
    "a regular expression that repeats groups",
    CPU,
    "return /^(?:(a|aa)*)*$/.test('a'.repeat(60) + 'b');",
  ),
  script("nested JSON", STACK, "return JSON.parse('['.repeat(1e5));"),
  script("wide JSON", CPU_OR_MEMORY, "return JSON.parse('[' + '{},'.repeat(3e6) + '0]').length;"),
  script(
    "a deep value",
    /nested too deeply|computed for/,
    "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o;",
  ),
];

const MEMORY_BOMBS = [
  script("arrays", CPU_OR_MEMORY, "const a = []; for (;;) a.push(new Array(1e4).fill(1));"),
  script("doubling texts", CPU_OR_MEMORY, "let s = 'x'; for (;;) s = (s + s).slice(0);"),
  script("buffers", MEMORY, "const a = []; for (;;) a.push(new Uint8Array(1e6));"),
  script("a map", CPU_OR_MEMORY, "const m = new Map(); for (let i = 0; ; i++) m.set({}, i);"),
  script("symbols", CPU_OR_MEMORY, "for (let i = 0; ; i++) Symbol.for('s'.repeat(1000) + i);"),
  script("closures", CPU_OR_MEMORY, "let f = () => 1; for (;;) { const g = f; f = () => g; }"),
  script("promises", CPU_OR_MEMORY, "for (;;) new Promise(() => {}).then(() => {});"),
  script(
    "memory in a rejection handler",
    /./,
    "const a = []; try { for (;;) a.push(new Array(1e4).fill(1)); } catch (e) { await Promise.reject(e).catch(() => { for (;;) a.push(1); }); }",
  ),
  script(
    "a flood of output",
    /truncated|computed for/,
    "for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1000));",
  ),
  script("a huge value", /truncated/, "return 'x'.repeat(5e6);"),
  script(
    "a flood of media",
    /at most 8 MB|computed for/,
    "const [m] = (await call('dev/fx/raw', { json: JSON.stringify({ content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(1e5) }] }) })); for (;;) emit(m);",
  ),
];

const RECURSION = [
  script("recursion", STACK, "const f = () => f() + 1; f();"),
  script("recursion of conversions", STACK, "const o = { toString: () => `${o}` }; return `${o}`;"),
  script(
    "recursion in a proxy",
    STACK,
    "const p = new Proxy({}, { get: (_, k, r) => r[k] }); p.x;",
  ),
  script(
    "a chain of proxies",
    /Maximum call stack|stack overflow|out of memory|computed for|^undefined|nothing/,
    "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return String(p.x);",
  ),
  script(
    "recursion that catches",
    /Maximum call stack|stack overflow|computed for|nothing/,
    "const f = () => { try { f(); } finally { f(); } }; f();",
  ),
  script(
    "recursion of JSON",
    /nested too deeply/,
    "const o = { toJSON: () => [o, JSON.stringify(o)] }; return o;",
  ),
];

const CALLS = [
  script(
    "a million calls",
    CALLS_OR_CPU,
    "const all = []; for (let i = 0; i < 1e6; i++) all.push(tools.dev.fx.echo({ text: 'x' })); await Promise.all(all);",
  ),
  script(
    "calls with large arguments",
    /./,
    "const text = 'x'.repeat(1e6); return (await Promise.allSettled(Array.from({ length: 20 }, () => tools.dev.fx.echo({ text })))).length;",
  ),
  script("arguments with a loop", CPU, "await tools.dev.fx.echo({ get text() { for (;;) {} } });"),
  script(
    "arguments that refer to themselves",
    /contains itself/,
    "const a = {}; a.a = a; await tools.dev.fx.echo(a);",
  ),
  script(
    "deep arguments",
    /too complex/,
    "let a = {}; for (let i = 0; i < 500; i++) a = { a }; await tools.dev.fx.echo(a);",
  ),
  script(
    "special keys in arguments",
    /^\{"__proto__":\{"x":1\},"constructor":2\}$/,
    'return JSON.stringify(await tools.dev.fx.structured({ value: JSON.parse(\'{"__proto__":{"x":1},"constructor":2}\') }));',
  ),
  script(
    "special keys in results",
    /^\[null,false\]$/,
    "const r = await tools.dev.fx.structured({ value: JSON.parse('{\"__proto__\":{\"polluted\":1}}') }); return [({}).polluted ?? null, 'polluted' in {}];",
  ),
  script(
    "names that leave the toolbox",
    /^\["INVALID_PARAMETERS","INVALID_PARAMETERS","TOOLBOX_NOT_FOUND","TOOL_NOT_FOUND"\]$/,
    "const codes = []; for (const path of ['../x', 'a'.repeat(1e5), '__proto__/constructor/x', 'dev/fx/../../x']) await call(path).catch((e) => codes.push(e.code)); return codes;",
  ),
  script(
    "a flood of waiting",
    /took more than 3000 ms|computed for/,
    "await Promise.all(Array.from({ length: 1e4 }, () => sleep(1e9)));",
  ),
  script("waiting that is not a time", /sleep expects/, "await sleep(NaN);"),
  script("forged media", /emit: no result of this script/, "emit({ $media: '__proto__' });"),
  script(
    "media of another script",
    /emit: no result of this script/,
    "emit({ $media: 'm1', mimeType: 'image/png', bytes: 1 });",
  ),
];

const ESCAPES = [
  script(
    "the constructor of a constructor",
    NOTHING,
    "return typeof call.constructor.constructor('return typeof process')() === 'string' ? [] : 1;",
  ),
  script("process", NOTHING, "return Function('return this')().process;"),
  script("require", NOTHING, "return require('fs');"),
  script(
    "import",
    /could not load|not supported|import|Error/,
    "return Object.keys(await import('fs'));",
  ),
  script(
    "fetch and timers",
    /^\["undefined","undefined","undefined","undefined","undefined"\]$/,
    "return [typeof fetch, typeof setTimeout, typeof WebAssembly, typeof XMLHttpRequest, typeof performance];",
  ),
  script(
    "call sites of errors",
    /^\[\]$|nothing/,
    "let sites; Error.prepareStackTrace = (_, s) => { sites = s; return ''; }; try { null.x; } catch (e) { e.stack; } return (sites ?? []).map((s) => typeof s.getThis?.()).filter((t) => t === 'object');",
  ),
  script(
    "the files of the host in stacks",
    /^false$/,
    "let stack = ''; try { emit(1); } catch (e) { stack += e.stack; } try { await call('x'); } catch (e) { stack += e.stack; } return /node:|file:|\\.cjs|\\.ts|\\/dist\\//.test(stack);",
  ),
  script(
    "functions of the host through patched built-ins",
    /^\[\]$/,
    "const found = []; const seen = (x) => { if (typeof x === 'function' && /\\[native code\\]/.test(Function.prototype.toString.call(x)) && ['send', 'log', 'done'].includes(x.name)) found.push(x.name); }; for (const o of [Array.prototype, Promise.prototype, Function.prototype, Object.prototype, Map.prototype]) for (const k of Object.getOwnPropertyNames(o)) { const d = Object.getOwnPropertyDescriptor(o, k); if (typeof d.value === 'function' && d.configurable && k !== 'constructor') Object.defineProperty(o, k, { ...d, value: function (...a) { for (let i = 0; i < a.length; i++) seen(a[i]); seen(this); return Reflect.apply(d.value, this, a); } }); } await call('dev/fx/echo', { text: 'x' }); console.log(1); return found;",
  ),
  script(
    "a patched JSON",
    /^1$/,
    "JSON.parse = JSON.stringify = () => { throw 1; }; Promise.prototype.then = undefined; await call('dev/fx/echo', { text: 'x' }); return 1;",
  ),
  script(
    "a polluted prototype",
    /^"?x"?$/,
    "Object.prototype.then = undefined; Object.prototype.toJSON = undefined; Object.prototype.id = 7; Object.prototype.get = () => 1; return await call('dev/fx/echo', { text: 'x' });",
  ),
  script(
    "the end of its function",
    /SyntaxError|^undefined$|nothing|computed for/,
    "}); globalThis.leaked = 1; (async function () {",
  ),
  script(
    "a proxy as its value",
    /^7$|cannot/,
    "return new Proxy({}, { get: (_, k) => (k === 'toJSON' ? () => 7 : undefined) });",
  ),
  script(
    "symbols of species",
    /^1$|^Error: The script threw 1|waits for a promise/,
    "class P extends Promise { static get [Symbol.species]() { return function () { throw 1; }; } } Promise.prototype.constructor = P; await call('dev/fx/echo', { text: 'x' }); return 1;",
  ),
  script(
    "half characters and zeros",
    /./,
    "console.log('\\0\\ud800\\udfff\\ud800'); return '\\0\\ud800';",
  ),
  script(
    "a replaced global",
    /^1$/,
    "globalThis.tools = globalThis.console = null; globalThis.Promise = null; globalThis.Error = 1; await sleep(1); return 1;",
  ),
  script("the state of another script", /^undefined$|nothing/, "return typeof globalThis.leaked;"),
];

export const HOSTILE_SCRIPTS: readonly HostileScript[] = [
  ...LOOPS,
  ...NATIVE,
  ...MEMORY_BOMBS,
  ...RECURSION,
  ...CALLS,
  ...ESCAPES,
];
