// Makes a program slower on purpose: `node --require bench/slow.cjs PROGRAM`. A message that contains
// `burn N` costs it N more turns of a loop when it is written. It proves that the regression guard
// detects a slowdown; the product itself does not contain it.
"use strict";
const { Socket } = require("node:net");

// Pipes to other programs are sockets for Node.
const { write } = Socket.prototype;

function turnsFor(chunk) {
  return Number(/burn (\d+)/.exec(chunk.toString("latin1"))?.[1] ?? 0);
}

Socket.prototype.write = function slowWrite(chunk, ...rest) {
  let sum = 0;
  for (let left = turnsFor(chunk); left > 0; left--) sum += left;
  return sum < 0 ? false : write.call(this, chunk, ...rest);
};
