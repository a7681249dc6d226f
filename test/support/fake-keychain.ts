/** A keychain library that keeps its secrets in a folder, since test machines have no keychain. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export interface FakeKeychain {
  /** The variables under which it is used instead of the library. */
  readonly env: Readonly<Record<string, string>>;
  /** Uses it in this process, too. Returns a function that ends that. */
  useHere(): () => void;
  /** Every command line of a process that used it. */
  commandLines(): string;
  /** The stored text by name. */
  secrets(): Readonly<Record<string, string>>;
  store(secrets: Readonly<Record<string, string>>): void;
  /** Makes every further use fail with this message; undefined: it works again. */
  breakWith(message: string | undefined): void;
  /** Whether every further use waits: nothing is answered until that is over. */
  hang(isHanging: boolean): void;
}

/** The library; the program loads it in a process of its own. */
const LIBRARY = `
const fs = require("node:fs");
const state = __dirname + "/secrets.json";
const read = () => (fs.existsSync(state) ? JSON.parse(fs.readFileSync(state, "utf8")) : {});
const commandLine = () => fs.existsSync("/proc/self/cmdline")
  ? fs.readFileSync("/proc/self/cmdline", "utf8").replace(/[\\0\\n]/g, " ")
  : process.argv.join(" ");
exports.Entry = class Entry {
  constructor(service, account, options) {
    fs.appendFileSync(__dirname + "/command-lines.txt", commandLine() + "\\n");
    if (service !== "mcp-workbench") throw new Error("wrong service");
    if (options?.linux?.store !== "secret-service") throw new Error("wrong store");
    if (fs.existsSync(__dirname + "/broken.txt"))
      throw new Error(fs.readFileSync(__dirname + "/broken.txt", "utf8"));
    // Like the real library, it blocks its thread.
    while (fs.existsSync(__dirname + "/hangs.txt"))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    this.account = account;
  }
  getPassword() { return read()[this.account] ?? null; }
  setPassword(value) { fs.writeFileSync(state, JSON.stringify({ ...read(), [this.account]: value })); }
  deletePassword() {
    const { [this.account]: removed, ...others } = read();
    fs.writeFileSync(state, JSON.stringify(others));
    return removed !== undefined;
  }
};
`;

/** Loaded into the program before its own code: it finds this library instead of the installed one. */
const PRELOADED = `
const Module = require("node:module");
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === "@napi-rs/keyring" ? __dirname + "/library.cjs" : resolve.call(this, request, ...rest);
};
module.exports = () => void (Module._resolveFilename = resolve);
`;

export function fakeKeychain(parent: string): FakeKeychain {
  const folder = join(parent, "keychain");
  mkdirSync(folder, { recursive: true });
  const preloaded = join(folder, "preloaded.cjs");
  writeFileSync(preloaded, PRELOADED);
  writeFileSync(join(folder, "library.cjs"), LIBRARY);
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";
  return {
    env: { NODE_OPTIONS: `--require=${preloaded}` },
    useHere: () => createRequire(import.meta.url)(preloaded) as () => void,
    commandLines: () => read("command-lines.txt"),
    secrets: () => JSON.parse(read("secrets.json") || "{}") as Record<string, string>,
    store: (secrets) => writeFileSync(join(folder, "secrets.json"), JSON.stringify(secrets)),
    breakWith: (message) => {
      if (message !== undefined) writeFileSync(join(folder, "broken.txt"), message);
      else rmSync(join(folder, "broken.txt"), { force: true });
    },
    hang: (isHanging) => {
      if (isHanging) writeFileSync(join(folder, "hangs.txt"), "");
      else rmSync(join(folder, "hangs.txt"), { force: true });
    },
  };
}
