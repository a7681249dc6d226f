/**
 * Loaded into the program before it starts: kills it at one of the steps in which it changes files. Step
 * KILL_AT_STEP is not done, or only by half if it is the writing of a text. A program that ends before it
 * comes to that step is not killed.
 */
const promises = require("node:fs/promises");

let stepsLeft = Number(process.env.KILL_AT_STEP);

const die = () => process.kill(process.pid, "SIGKILL");
const isLast = () => --stepsLeft === 0;

for (const name of ["rename", "unlink", "rm"]) {
  const original = promises[name];
  promises[name] = (...args) => (isLast() ? die() : original(...args));
}

/** Writes a text, or half of it and nothing after that. */
async function write(original, target, text, options) {
  if (!isLast()) return original(target, text, options);
  await original(target, text.slice(0, text.length / 2), options);
  return die();
}

const { writeFile, open } = promises;
promises.writeFile = (file, text, options) => write(writeFile, file, text, options);
promises.open = async (path, flags, mode) => {
  const isForWriting = flags !== undefined && flags !== "r";
  if (isForWriting && isLast()) die();
  const handle = await open(path, flags, mode);
  const writeToHandle = handle.writeFile.bind(handle);
  handle.writeFile = (text, options) =>
    write((_, part, how) => writeToHandle(part, how), handle, text, options);
  return handle;
};
