// Makes the clock of a program as slow as Valgrind makes the program: `node --require bench/slow-clock.cjs
// PROGRAM`. A program that lets others have a turn after two milliseconds would otherwise do so in some
// calls and not in others, depending on what else the machine does.
"use strict";
const SLOWER = 50;

const now = performance.now.bind(performance);
Object.defineProperty(performance, "now", { value: () => now() / SLOWER });
