/** The program finds the optional keychain library where npm installs it, and works without it. */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

import { newFolder } from "../support/new-folder.ts";
import { bundle } from "../../scripts/bundle.mjs";
import { perBlock } from "../support/disposables.ts";

const disposables = perBlock();
let folder: string;

const USE = `
  const { runKeyring } = require("./dist/chunks/keyring.cjs");
  const request = { service: "s", account: "a", action: "get" };
  runKeyring(request, { env: process.env, timeoutMs: 60000 })
    .then((value) => console.log(value), (error) => console.log(error.message));`;

async function use(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", USE], { cwd: folder });
  return stdout.trim();
}

describe("the bundled program", () => {
  beforeAll(async () => {
    folder = newFolder("bundle");
    disposables.defer(() => rmSync(folder, { recursive: true, force: true }));
    const entry = fileURLToPath(new URL("../../src/secrets/keyring-process.ts", import.meta.url));
    const outfile = join(folder, "dist/chunks/keyring.cjs");
    await bundle(entry, outfile, { chunks: new Map(), inChunk: true, write: true });
  });

  it("says that the keychain library is missing", async () => {
    expect(await use()).toBe("the optional package @napi-rs/keyring is not installed");
  });

  it("uses the keychain library that is installed next to it", async () => {
    const library = join(folder, "node_modules/@napi-rs/keyring");
    mkdirSync(library, { recursive: true });
    writeFileSync(
      join(library, "index.js"),
      'exports.Entry = class { getPassword() { return "installed"; } };',
    );
    expect(await use()).toBe("installed");
  });
});
