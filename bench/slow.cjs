// Makes a program slower on purpose: `node --require bench/slow.cjs PROGRAM`. Every message that is
// written keeps the processor busy for $BENCH_SLOW_US microseconds. It proves that the regression
// guard detects a slowdown; the product itself does not contain it.
"use strict";
const { Socket } = require("node:net");

const microseconds = Number(process.env.BENCH_SLOW_US ?? 0);
// Pipes to other programs are sockets for Node.
const { write } = Socket.prototype;

function messagesIn(chunk) {
  const text = chunk.toString("latin1");
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

Socket.prototype.write = function slowWrite(chunk, ...rest) {
  const until = performance.now() + (messagesIn(chunk) * microseconds) / 1000;
  while (performance.now() < until);
  return write.call(this, chunk, ...rest);
};
