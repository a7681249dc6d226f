// Makes a program slower on purpose: `node --require bench/slow.cjs PROGRAM`. Every message that is
// written keeps the processor busy for $BENCH_SLOW_US microseconds. It shows that the regression
// guard sees what it is there to see; the product itself knows nothing of it.
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

/** Counts what this process uses, not what others use meanwhile. */
function used() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

Socket.prototype.write = function slowWrite(chunk, ...rest) {
  const until = used() + messagesIn(chunk) * microseconds;
  while (used() < until);
  return write.call(this, chunk, ...rest);
};
