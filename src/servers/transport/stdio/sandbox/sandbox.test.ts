import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../../../../test/support/new-folder.ts";
import type { SandboxSettings } from "../../../../config/types.ts";
import { type RunProgram, bwrapProblem, dockerProblem } from "./availability.ts";
import { bwrapCommand } from "./bwrap.ts";
import { dockerCommand } from "./docker.ts";
import { problemOf, sandboxed } from "./sandbox.ts";

const settings = (given: Partial<SandboxSettings>): SandboxSettings => ({
  kind: "bwrap",
  read: [],
  write: [],
  network: false,
  required: true,
  protect: [],
  ...given,
});
const line = { command: "server", args: ["--x", "1"], env: { API_KEY: "s3cr3t" }, cwd: "/home/u" };
const context = { home: "/home/u", node: "/usr/bin/node", protect: [] };

let folder = "";
beforeAll(() => {
  folder = newFolder("sandbox-test");
  mkdirSync(join(folder, "state/own"), { recursive: true });
  writeFileSync(join(folder, "config.json"), "{}");
  symlinkSync(folder, join(folder, "link"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The arguments after an option, for each time it is used. */
function uses(args: readonly string[], option: string, count: number): string[] {
  return args.flatMap((arg, i) =>
    arg === option ? [args.slice(i + 1, i + 1 + count).join(" ")] : [],
  );
}

describe("the command line of bwrap", () => {
  it("separates the server from everything that is not named", () => {
    const { command, args, env, cwd } = bwrapCommand(
      line,
      settings({ read: ["/src"], write: ["/data"] }),
      context,
    );
    expect(command).toBe("bwrap");
    expect(args).toEqual(
      expect.arrayContaining(["--unshare-all", "--die-with-parent", "--new-session"]),
    );
    expect(args).not.toContain("--share-net");
    expect(uses(args, "--ro-bind", 2)).toEqual(["/src /src"]);
    expect(uses(args, "--bind", 2)).toEqual(["/data /data"]);
    expect(uses(args, "--tmpfs", 1)).toEqual(["/tmp", "/home/u"]);
    expect(args.slice(-6)).toEqual(["--chdir", "/tmp", "--", "server", "--x", "1"]);
    // Values of variables would be visible to every user of the machine.
    expect(args.join(" ")).not.toContain("s3cr3t");
    expect(env).toEqual({ API_KEY: "s3cr3t" });
    expect(cwd).toBeUndefined();
  });

  it("shows the program, Node.js where it is installed, and a working directory that is visible", () => {
    const bin = join(folder, "node/bin");
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(folder, "node/lib"));
    const { args } = bwrapCommand(
      { ...line, command: "/opt/server", cwd: "/src/app" },
      settings({ read: ["/src"], network: true }),
      { ...context, node: join(bin, "node") },
    );
    const lib = join(folder, "node/lib");
    expect(uses(args, "--ro-bind", 2)).toEqual([
      `${bin} ${bin}`,
      `${lib} ${lib}`,
      "/opt/server /opt/server",
      "/src /src",
    ]);
    expect(uses(args, "--chdir", 1)).toEqual(["/src/app"]);
    expect(args).toContain("--share-net");
  });

  it("covers what belongs to the workbench, also behind a symbolic link", () => {
    const shown = [folder, join(folder, "link")];
    const protect = [join(folder, "state"), join(folder, "config.json"), "/elsewhere/state"];
    const { args } = bwrapCommand(line, settings({ read: shown }), { ...context, protect });
    const states = shown.map((at) => join(at, "state"));
    expect(uses(args, "--tmpfs", 1).slice(2)).toEqual([...shown, ...states]);
    expect(uses(args, "--remount-ro", 1)).toEqual(shown);
    expect(args.join(" ")).not.toContain("config.json");
    for (const at of shown) {
      expect(uses(args, "--ro-bind-try", 2)).toContain(`${folder}/state ${at}/state`);
      expect(uses(args, "--symlink", 2)).toContain(`${folder} ${at}/link`);
    }
  });

  it("shows a folder with files of the workbench entry by entry, with what may be changed in it", () => {
    const own = join(folder, "project");
    for (const name of ["data", "src"]) mkdirSync(join(own, name), { recursive: true });
    // A file that does not exist yet counts, too.
    const protect = [join(own, "workbench-lock.json")];
    const read = settings({ read: [own], write: [join(own, "data")] });
    const { args } = bwrapCommand(line, read, { ...context, protect });
    expect(uses(args, "--ro-bind-try", 2).slice(-2)).toEqual(
      ["data", "src"].map((name) => `${own}/${name} ${own}/${name}`),
    );
    expect(args.lastIndexOf("--bind")).toBeGreaterThan(args.lastIndexOf("--ro-bind-try"));
    const write = bwrapCommand(line, settings({ write: [own] }), { ...context, protect });
    expect(uses(write.args, "--bind-try", 2)).toHaveLength(2);
    for (let i = 0; i < 600; i++) writeFileSync(join(own, `f${i}`), "");
    expect(() => bwrapCommand(line, settings({ write: [own] }), { ...context, protect })).toThrow(
      /project has files of the workbench and 602 other entries\. Name the folders/,
    );
  });

  it("shows no processes and devices of the machine, also if the server may read everything", () => {
    const root = join(folder, "root");
    symlinkSync("/", root);
    const { args } = bwrapCommand(line, settings({ read: ["/", root] }), context);
    expect(uses(args, "--proc", 1)).toEqual(["/proc", "/proc", join(root, "proc")]);
    expect(uses(args, "--dev", 1)).toEqual(["/dev", "/dev", join(root, "dev")]);
    expect(args.lastIndexOf("--proc")).toBeGreaterThan(args.lastIndexOf("--ro-bind"));
  });
});

describe("the command line of docker", () => {
  it("has limits, a name, and variables without their values", () => {
    const { args, container, env } = dockerCommand(
      line,
      settings({ kind: "docker", image: "img", read: ['/a,"b'], write: ["/data"] }),
      { name: "mcp-workbench-1", user: "1000:1000", declared: ["API_KEY"] },
    );
    expect(args.join(" ")).toBe(
      'run -i --rm --init --name mcp-workbench-1 --network none --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --memory 2g --cpus 1 --pids-limit 256 --user 1000:1000 --mount type=bind,"source=/a,""b","target=/a,""b",readonly --mount type=bind,source=/data,target=/data --workdir /home/u --env API_KEY img server --x 1',
    );
    expect(container).toBe("mcp-workbench-1");
    expect(env).toEqual({ API_KEY: "s3cr3t" });
  });
});

describe("a wrapper command", () => {
  it("gets the command line of the server", async () => {
    const started = await sandboxed(
      line,
      settings({ kind: "command", command: ["firejail", "--"] }),
      [],
    );
    expect(started.line).toMatchObject({
      command: "firejail",
      args: ["--", "server", "--x", "1"],
      cwd: "/home/u",
    });
  });
});

describe("sandbox settings", () => {
  it.each<[Partial<SandboxSettings>, RegExp]>([
    [{ kind: "docker" }, /needs an image/],
    [{ kind: "command" }, /needs a program/],
    [{ read: ["/no/such/path"] }, /does not exist/],
    [{ write: ["STATE"] }, /belongs to the workbench/],
    [{ read: ["STATE/own"] }, /belongs to the workbench/],
    [{ read: ["LINK/state"] }, /belongs to the workbench/],
    [{ kind: "docker", image: "img", write: ["LINK"] }, /contains .*state, which no server may/],
    [{ read: ["/proc"] }, /processes of this machine/],
    [{ write: ["/proc/self/root"] }, /processes of this machine/],
  ])("are rejected if they are %j", (given, problem) => {
    const placed = (path: string): string =>
      path.replace("STATE", join(folder, "state")).replace("LINK", join(folder, "link"));
    const { read = [], write = [] } = given;
    const all = { ...given, read: read.map(placed), write: write.map(placed) };
    expect(problemOf(settings(all), [join(folder, "state")])).toMatch(problem);
  });
});

describe("whether a sandbox can be used", () => {
  const failing = (failure: object, stderr = ""): RunProgram => {
    const ended = Promise.resolve({ error: failure, stderr });
    return () => ended;
  };

  it("depends on the system, the program, and what the program may do", async () => {
    expect(await bwrapProblem("darwin")).toMatchObject({ reason: "bwrap exists only on Linux" });
    expect(await bwrapProblem("linux", failing({ code: "ENOENT" }))).toMatchObject({
      reason: "bwrap is not installed",
      fix: expect.stringContaining("apt-get install bubblewrap") as string,
    });
    const refused = failing({ code: 1 }, "bwrap: setting up uid map: Permission denied\n");
    expect(await bwrapProblem("linux", refused)).toMatchObject({
      reason: "bwrap does not work here: bwrap: setting up uid map: Permission denied",
      fix: expect.stringContaining("apparmor_restrict_unprivileged_userns") as string,
    });
    expect(await bwrapProblem("linux", () => Promise.resolve({ stderr: "" }))).toBeUndefined();
    expect(await dockerProblem(failing({ code: "ENOENT" }))).toMatchObject({
      reason: "docker is not installed",
    });
    expect(await dockerProblem(failing({ code: 1 }, "Cannot connect"))).toMatchObject({
      reason: "docker does not work: Cannot connect",
    });
  });
});
