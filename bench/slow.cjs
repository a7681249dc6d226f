// Makes a program slower on purpose: `node --require bench/slow.cjs PROGRAM`. Every message that is
// written keeps the processor busy for $BENCH_SLOW_US microseconds. It shows that the regression
// guard sees what it is there to see; the product itself knows nothing of it.
"use strict";
const { Writable } = require("node:stream");

const microseconds = Number(process.env.BENCH_SLOW_US ?? 0);
const write = Writable.prototype.write;

function messagesIn(chunk) {
  const text = chunk.toString("latin1");
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

Writable.prototype.write = function slowWrite(chunk, ...rest) {
  const until = performance.now() + (messagesIn(chunk) * microseconds) / 1000;
  while (performance.now() < until);
  return write.call(this, chunk, ...rest);
};
