/** A package manager that downloads as long as a test wants. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Disposables } from "./disposables.ts";
import type { ServerEntry } from "./servers.ts";
import { temporaryFolder } from "./workbench.ts";

const PROGRAM = `#!${process.execPath}
const { appendFileSync, existsSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { dirname, join } = require("node:path");
const folder = dirname(process.argv[1]);
const note = (line) => appendFileSync(join(folder, "events"), line + "\\n");
process.title = "npm exec fixture";
let server;
process.on("SIGTERM", () => {
  if (server === undefined) note("rolled back");
  process.exit(1);
});
note("started");
const begin = () => {
  if (!existsSync(join(folder, "downloaded"))) return setTimeout(begin, 20);
  const [isVisible, command, ...args] = process.argv.slice(2);
  if (isVisible === "visible") server = spawn(command, args, { stdio: "inherit" });
  else {
    server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    process.stdin.pipe(server.stdin);
    server.stdout.pipe(process.stdout);
  }
  server.on("exit", (code) => process.exit(code ?? 1));
};
begin();
`;

export interface FakeNpx {
  /**
   * The same server, started by this package manager. Unless it is visible, it counts as being
   * downloaded until it answers, so that a slow machine can take its time.
   */
  launched(entry: ServerEntry, visibility?: "visible" | "hidden"): ServerEntry;
  /** Ends the download of this start and of later ones. */
  finishDownload(): void;
  /** What the package manager has done: "started" and "rolled back", in order. */
  readonly events: readonly string[];
}

export function fakeNpx(disposables: Disposables): FakeNpx {
  const folder = join(temporaryFolder(disposables), "bin");
  mkdirSync(folder);
  const npx = join(folder, "npx");
  writeFileSync(npx, PROGRAM);
  chmodSync(npx, 0o755);
  const events = join(folder, "events");
  return {
    launched: ({ command, args = [], ...entry }, visibility = "hidden") => ({
      ...entry,
      command: npx,
      args: [visibility, command, ...args],
    }),
    finishDownload: () => writeFileSync(join(folder, "downloaded"), ""),
    get events() {
      return existsSync(events) ? readFileSync(events, "utf8").trim().split("\n") : [];
    },
  };
}
