/** The program starts from code that was compiled when it was built, and from nothing else. */
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { HEAD, KEEPS_CODE_SINCE, TAIL } from "../../scripts/bin.mjs";
import { perTest } from "../support/disposables.ts";
import { runProgram } from "../support/run-program.ts";
import { PROGRAM, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
// Later versions of Node keep compiled code themselves.
const isCompiled = parseInt(process.versions.node) < KEEPS_CODE_SINCE;

const MANIFEST = new URL("../../package.json", import.meta.url);
const { version: VERSION } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string };

/** A copy of what the program needs to say its version. */
function copyOfProgram(): string {
  const folder = temporaryFolder(cleanup);
  for (const name of ["bin.cjs", "program.cjs", ...(isCompiled ? ["program.compiled"] : [])])
    copyFileSync(join(dirname(PROGRAM), name), join(folder, name));
  return folder;
}

function versionOf(folder: string): string {
  const args = [join(folder, "bin.cjs"), "--version"];
  const { stdout, stderr } = runProgram(process.execPath, args);
  expect(stderr).toBe("");
  return stdout.trim();
}

describe("the compiled code of the program", () => {
  it("is made only for versions of Node that do not keep it themselves", () => {
    expect(existsSync(join(dirname(PROGRAM), "program.compiled"))).toBe(isCompiled);
  });

  it.runIf(isCompiled)("is accepted by the V8 that made it", () => {
    const source = readFileSync(join(dirname(PROGRAM), "program.cjs"));
    const compiled = readFileSync(join(dirname(PROGRAM), "program.compiled"));
    const cachedData = compiled.subarray(0, compiled.length - source.length);
    const script = new Script(HEAD + source.toString("latin1") + TAIL, { cachedData });
    expect(script.cachedDataRejected).toBe(false);
  });

  it("is not used for a program that was changed", () => {
    const folder = copyOfProgram();
    const file = join(folder, "program.cjs");
    const changed = readFileSync(file, "utf8").replaceAll(`"${VERSION}"`, '"9.9.9"');
    writeFileSync(file, changed);
    expect(versionOf(folder)).toBe("9.9.9");
  });

  it.each([0, 1, 100_000])("is not needed: cut to %d bytes", (bytes) => {
    const folder = copyOfProgram();
    const file = join(folder, "program.compiled");
    if (!existsSync(file)) writeFileSync(file, "");
    truncateSync(file, bytes);
    expect(versionOf(folder)).toBe(VERSION);
  });

  it.runIf(isCompiled)("is not needed: made by another version of V8", () => {
    const folder = copyOfProgram();
    const file = join(folder, "program.compiled");
    const compiled = readFileSync(file);
    // The second of the numbers that V8 compares with its own.
    compiled.writeUInt32LE((compiled.readUInt32LE(4) ^ 1) >>> 0, 4);
    writeFileSync(file, compiled);
    expect(versionOf(folder)).toBe(VERSION);
  });
});
