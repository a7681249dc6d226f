// The physical limit of one more process: copies bytes without looking at them.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const FIXTURE = fileURLToPath(new URL("fixture.mjs", import.meta.url));
const child = spawn(process.execPath, [FIXTURE, ...process.argv.slice(2)], {
  stdio: ["pipe", "pipe", "inherit"],
});
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on("exit", () => process.exit(0));
