// Loaded into the program with `--import`: records which functions of `src` a call executes.
//
// V8's precise coverage counts executions but does not order them. The order comes from breakpoints
// whose condition notes the function and is false, so the program never pauses.
import { Session } from "node:inspector";

const SOURCE = new URL("../../src/", import.meta.url).href;
const ORDER = Symbol.for("mcp-workbench.walk");
/** Added to every file by the compiler that runs the sources. */
const COMPILER_HELPER = "__name";

const session = new Session();
session.connect();
globalThis[ORDER] = [];

/** Commands of the inspector in its own thread answer before `post` returns. */
function post(method, params = {}) {
  let outcome;
  session.post(method, params, (error, result) => {
    outcome = { error, result };
  });
  if (outcome.error) throw new Error(`${method}: ${outcome.error.message}`);
  return outcome.result;
}

/** The functions that ran since the last time, as `{ script, path, name, start }`. */
function executed() {
  return post("Profiler.takePreciseCoverage").result.flatMap(({ scriptId, url, functions }) =>
    url.startsWith(SOURCE)
      ? functions
          .filter(({ functionName, ranges }) => functionName !== COMPILER_HELPER && ranges[0].count)
          .map(({ functionName, ranges }) => ({
            script: scriptId,
            path: url.slice(SOURCE.length),
            name: functionName,
            start: ranges[0].startOffset,
            end: ranges[0].endOffset,
          }))
      : [],
  );
}

function location(source, scriptId, offset) {
  const before = source.slice(0, offset);
  const lineNumber = before.split("\n").length - 1;
  return { scriptId, lineNumber, columnNumber: offset - (before.lastIndexOf("\n") + 1) };
}

function watchOrder(functions) {
  post("Debugger.enable");
  const sources = new Map();
  for (const [i, { script, start, end }] of functions.entries()) {
    if (!sources.has(script))
      sources.set(script, post("Debugger.getScriptSource", { scriptId: script }).scriptSource);
    const source = sources.get(script);
    const [first] = post("Debugger.getPossibleBreakpoints", {
      start: location(source, script, start),
      end: location(source, script, end),
      restrictToFunction: true,
    }).locations;
    if (first === undefined) continue;
    const note = `globalThis[Symbol.for(${JSON.stringify(ORDER.description)})].push(${i}), false`;
    post("Debugger.setBreakpoint", { location: first, condition: note });
  }
}

const COMMANDS = {
  start: () => {
    post("Profiler.enable");
    post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  },
  executed,
  watchOrder,
  order: () => globalThis[ORDER].splice(0),
};

process.on("message", ({ command, argument }) => {
  process.send({ result: COMMANDS[command](argument) });
});
// The program ends when its client leaves, not when the channel to this script closes.
process.channel.unref();
