/**
 * Takes the steps of deploy/Containerfile without a container engine: the build stage runs in an empty folder, and
 * what the image would contain runs as its user, with nothing else and nowhere to write but /data and /tmp. In the full
 * suite because it builds the program and needs bubblewrap.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

import { bwrapProblem } from "../../src/servers/transport/stdio/sandbox/availability.ts";
import { useToolParams } from "../support/calls.ts";
import { perBlock } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { HttpClient } from "../support/http-client.ts";
import { RawClient } from "../support/raw-client.ts";
import { temporaryFolder } from "../support/workbench.ts";
import { containerStages, listOf, PORT, ROOT, variablesOf } from "./files.ts";

const BUILD_MS = 300_000;
/** The compilers are written in Go; they may free memory less often. */
const BUILDER = { ...process.env, GOGC: "400" };
const TOKEN = "a-token-of-the-owner-0123456789";
/** Needs nothing but Node.js, as a server in the image may. */
const SERVER = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const schema = { type: "object" };
  const result =
    method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
      : method === "tools/list"
        ? { tools: [{ name: "whoami", inputSchema: schema }] }
        : { content: [{ type: "text", text: "user " + process.getuid() }] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
`;

const cleanup = perBlock();
const stages = containerStages();
const image = stages.get("workbench") ?? [];
let built = "";
let root = "";
let problem: string | undefined;

beforeAll(async () => {
  problem = (await bwrapProblem())?.reason;
  if (problem !== undefined) return;
  const folder = temporaryFolder(cleanup);
  built = join(folder, "build");
  root = join(folder, "root");
  copyContext(built);
  for (const { name, text } of stages.get("build") ?? [])
    if (name === "RUN")
      execFileSync("/bin/sh", ["-ec", stepOf(text)], { cwd: built, env: BUILDER });
  copyImage();
}, BUILD_MS);

/** `COPY . .`, as .dockerignore limits it: its first line excludes everything. */
function copyContext(to: string): void {
  const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  for (const line of ignored.filter((one) => one.startsWith("!"))) {
    const path = line.slice(1);
    cpSync(join(ROOT, path), join(to, path), {
      recursive: true,
      filter: (file) => !file.endsWith(".test.ts"),
    });
  }
}

/** The packages have been installed before these tests, which may have no network. */
function stepOf(command: string): string {
  return command.startsWith("npm ci ")
    ? `ln -s '${join(ROOT, "node_modules")}' node_modules && npm run --silent prepare`
    : command;
}

/** What the image adds to its base, and the libraries of Node.js in place of that base. */
function copyImage(): void {
  for (const folder of ["config", "data", "tmp", "proc", "dev", "etc", "usr/local/bin"])
    mkdirSync(join(root, folder), { recursive: true });
  const sources = [[process.execPath, "/usr/local/bin/node"]];
  const copies = image.filter(({ name, text }) => name === "COPY" && text.includes("/build/"));
  for (const { text } of copies) {
    const [from = "", to = ""] = text.split(" ").slice(-2);
    sources.push([from.replace("/build/", `${built}/`), to]);
  }
  const libraries = execFileSync("ldd", [process.execPath]).toString().match(/\/\S+/g) ?? [];
  for (const file of libraries) sources.push([file, file]);
  for (const [from = "", to = ""] of sources) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to), { recursive: true, dereference: true });
  }
}

/** Runs a program in the image, as its user and with its variables. */
function inImage(command: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const [uid = "", gid = ""] = image.find(({ name }) => name === "USER")?.text.split(":") ?? [];
  const env = { PATH: "/usr/local/bin", ...variablesOf(image), ...variables };
  const set = Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]);
  const mounts = ["--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
  const user = ["--unshare-user", "--unshare-pid", "--uid", uid, "--gid", gid];
  const folders = ["--tmpfs", "/data", "--chdir", "/data"];
  const flags = ["--die-with-parent", "--clearenv", ...user, ...mounts, ...folders, ...set];
  return ["bwrap", ...flags, "--", ...command] as const;
}

// Bubblewrap, which runs the programs of the image, needs Linux.
describe.skipIf(process.platform !== "linux")("the image", () => {
  it("contains the program and no packages, sources or tests", (context) => {
    if (problem !== undefined) return context.skip(problem);
    const has = (path: string) => existsSync(join(root, path));
    expect(
      ["app/dist/bin.cjs", "app/package.json", "app/data"].filter((path) => !has(path)),
    ).toEqual([]);
    const unwanted = ["app/node_modules", "app/src", "app/test", "app/dist/lib", "bin/sh"];
    expect(unwanted.filter(has)).toEqual([]);
  });

  it("serves as its user, with a root that cannot be written", async (context) => {
    if (problem !== undefined) return context.skip(problem);
    const server = { command: "node", args: ["/config/server.mjs"] };
    writeFileSync(join(root, "config/server.mjs"), SERVER);
    writeFileSync(
      join(root, "config/workbench-config.json"),
      JSON.stringify({ toolboxes: { dev: { description: "Test", mcpServers: { server } } } }),
    );
    const port = await freePort();
    const onPort = (text: string) =>
      text.replace(`0.0.0.0:${PORT}`, `127.0.0.1:${port}`).replace(`:${PORT}/`, `:${port}/`);
    const [entry, command] = [listOf(image, "ENTRYPOINT"), listOf(image, "CMD")];
    const [bwrap, ...args] = inImage([...entry, ...command.map(onPort)], {
      WORKBENCH_TOKEN: TOKEN,
    });
    const program = new RawClient(spawn(bwrap, args, { stdio: "pipe" }));
    cleanup.defer(async () => {
      program.kill("SIGKILL");
      await program.exited;
    });
    await program.when(() => /listens on/.exec(program.stderr), "it listened");

    const client = new HttpClient(`http://127.0.0.1:${port}/mcp`, TOKEN);
    expect((await client.initialize()).status).toBe(200);
    const { result } = await client.ask("tools/call", useToolParams("dev/server/whoami", {}));
    expect(JSON.stringify(result)).toContain("user 65532");

    const [check, ...checked] = inImage(listOf(image, "HEALTHCHECK").map(onPort));
    expect(spawnSync(check, checked).status).toBe(0);
    const write = 'require("node:fs").writeFileSync("/app/x", "")';
    const [node, ...attempt] = inImage(["node", "-e", write]);
    expect(spawnSync(node, attempt).stderr.toString()).toContain("EROFS");
  });
});
