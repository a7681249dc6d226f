/** A `secret-tool` that keeps its secrets in a folder, since test machines have no keychain. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface FakeKeychain {
  /** The variables under which it is found. */
  readonly env: Readonly<Record<string, string>>;
  /** Every command line it was started with. */
  commandLines(): string;
  /** The stored text by name. */
  secrets(): Readonly<Record<string, string>>;
  /** Makes every further run fail with this message; undefined: it works again. */
  breakWith(message: string | undefined): void;
}

const SCRIPT = `#!${process.execPath}
const fs = require("node:fs");
const folder = __dirname;
const state = folder + "/secrets.json";
fs.appendFileSync(folder + "/command-lines.txt", process.argv.slice(2).join(" ") + "\\n");
if (fs.existsSync(folder + "/broken.txt")) {
  process.stderr.write(fs.readFileSync(folder + "/broken.txt"));
  process.exit(1);
}
const [action, ...rest] = process.argv.slice(2);
const name = rest[rest.indexOf("account") + 1];
if (rest[rest.indexOf("service") + 1] !== "mcp-workbench") process.exit(2);
const secrets = fs.existsSync(state) ? JSON.parse(fs.readFileSync(state)) : {};
if (action === "lookup") {
  if (!(name in secrets)) process.exit(1);
  process.stdout.write(secrets[name]);
} else {
  if (action === "store") secrets[name] = fs.readFileSync(0, "utf8");
  if (action === "clear") delete secrets[name];
  fs.writeFileSync(state, JSON.stringify(secrets));
}
`;

export function fakeKeychain(folder: string, path: string): FakeKeychain {
  const bin = join(folder, "keychain-bin");
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "secret-tool");
  writeFileSync(program, SCRIPT);
  chmodSync(program, 0o755);
  const read = (name: string): string =>
    existsSync(join(bin, name)) ? readFileSync(join(bin, name), "utf8") : "";
  return {
    env: { PATH: `${bin}:${path}` },
    commandLines: () => read("command-lines.txt"),
    secrets: () => JSON.parse(read("secrets.json") || "{}") as Record<string, string>,
    breakWith: (message) => {
      if (message !== undefined) writeFileSync(join(bin, "broken.txt"), message);
      else if (existsSync(join(bin, "broken.txt"))) rmSync(join(bin, "broken.txt"));
    },
  };
}
