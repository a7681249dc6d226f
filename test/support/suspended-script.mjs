/**
 * One half of a script that is suspended in one process and continued in another. It runs from
 * the sources, with tools that it answers itself; the thread of the script is the built one.
 *
 *   suspended-script.mjs suspend FILE KEY    runs the script until it waits for `ask`, and seals it
 *   suspended-script.mjs resume FILE KEY     continues it, and answers `ask`
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Scripts } from "../../src/scripts/scripts.ts";
import { sealScript, unsealScript } from "../../src/scripts/sealed-script.ts";

const [, , action, file, keyHex] = process.argv;
const key = Buffer.from(keyHex, "hex");
const SCRIPT = `
const rows = await call("dev/data/rows");
const total = new Map(rows.map((row) => [row.id, row.n]));
console.log("rows", rows.length);
const image = await call("dev/data/image");
const [answer, other] = await Promise.all([call("dev/user/ask"), call("dev/user/ask", { again: true })]);
emit(image[0]);
const later = await call("dev/data/rows");
return { rows: total.size, sum: [...total.values()].reduce((a, b) => a + b, 0), answer, other, later: later.length, from: input.from };
`;
const rows = Array.from({ length: 2000 }, (_, id) => ({ id, n: id, text: "x".repeat(50) }));
const image = { type: "image", mimeType: "image/png", data: "AAEC" };
const respond = (result) => ({
  kind: "response",
  pieces: [JSON.stringify({ jsonrpc: "2.0", id: 0, result })],
});
const RESULTS = {
  "dev/data/rows": { content: [{ type: "text", text: JSON.stringify(rows) }] },
  "dev/data/image": { content: [image] },
};
const settings = {
  memoryMb: 64,
  cpuMs: 5000,
  totalMs: 60_000,
  calls: 100,
  parallel: 4,
  outputChars: 2000,
  sourceBytes: 65_536,
};

const scripts = new Scripts();
let run;
let asked = 0;
let onAsked = () => {};
const startCall = (path, args, onSettled) => {
  const settle = (result) =>
    onSettled({ answer: respond(result), isFailure: false, mayHaveChanged: false });
  const call = { cancel: () => {}, isSent: () => false, mayHaveChanged: () => false };
  if (path in RESULTS) setImmediate(settle, RESULTS[path]);
  else if (action === "resume")
    setImmediate(settle, { content: [{ type: "text", text: `yes ${args}` }] });
  else if (++asked === 2) setImmediate(onAsked);
  return call;
};
const started = (suspended) =>
  scripts.run({
    source: suspended?.source ?? SCRIPT,
    root: {},
    owner: { principal: "owner", client: "test" },
    input: JSON.stringify({ from: process.pid }),
    results: undefined,
    settings,
    startCall,
    signal: new AbortController().signal,
    suspended,
    onStarted: (value) => (run = value),
  });

if (action === "suspend") {
  const waiting = new Promise((resolve) => (onAsked = resolve));
  const outcome = started();
  await waiting;
  const suspended = await run.suspend();
  writeFileSync(file, await sealScript(suspended, key));
  await outcome;
  process.stdout.write(JSON.stringify({ pid: process.pid }));
} else {
  const suspended = await unsealScript(readFileSync(file), key);
  const outcome = await started(suspended);
  process.stdout.write(JSON.stringify({ pid: process.pid, outcome }));
}
scripts.close();
