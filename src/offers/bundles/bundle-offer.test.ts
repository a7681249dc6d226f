import { describe, expect, it } from "vitest";

import { bundle } from "../../../test/support/zip.ts";
import { filledEntry } from "../fill.ts";
import type { WrittenPart } from "../written-text.ts";
import { bundleOffer } from "./bundle-offer.ts";
import { readBundle } from "./read-bundle.ts";

const PLACE = {
  folder: "/state/notes",
  home: "/home/me",
  platform: "linux" as const,
  hasProgram: (name: string) => name !== "python",
};
const offerOf = (changes: object, platform: NodeJS.Platform = "linux") =>
  bundleOffer(readBundle(bundle(changes, [{ name: "bin/tool" }])), { ...PLACE, platform });
const server = (config: object, type = "node") => ({
  server: { type, entry_point: "server/index.js", mcp_config: config },
});
const node = (...args: string[]) => server({ command: "node", args });
const npx = (...args: string[]) => server({ command: "npx", args });
const uv = (...args: string[]) => server({ command: "uv", args }, "uv");
const docker = (...args: string[]) => server({ command: "docker", args: ["run", "-i", ...args] });
const env = (name: string, value: string) =>
  server({ command: "node", args: ["x.js"], env: { [name]: value } });
const withDir = (arg: string, isCode = false) => ({
  ...node(...(isCode ? [arg] : ["x.js", arg])),
  user_config: { dir: { type: "directory" } },
});
const withProxy = (setting: object) => ({
  ...env("HTTPS_PROXY", "${user_config.proxy}"),
  user_config: { proxy: { type: "string", ...setting } },
});
const user = (text: string): WrittenPart => ({ text, from: "user" });

describe("bundleOffer", () => {
  it("replaces the references of the manifest and nothing else", () => {
    const config = {
      command: "node",
      args: ["${__dirname}/server/index.js", "${HOME}${/}x", "${keychain:GITHUB_TOKEN}", "$HOME"],
      env: { A: "${DOCUMENTS}", B: "${OTHER}" },
    };
    expect(filledEntry(offerOf(server(config)), new Map())).toEqual({
      command: "node",
      args: ["/state/notes/server/index.js", "/home/me/x", "$${keychain:GITHUB_TOKEN}", "$HOME"],
      env: { A: "/home/me/Documents", B: "$${OTHER}" },
      cwd: "/state/notes",
    });
  });

  it("makes inputs of user settings, and secrets of sensitive ones", () => {
    const { inputs, ...offer } = offerOf({
      ...server({
        command: "node",
        args: ["x", "${user_config.dirs}", "--size=${user_config.size}", "${user_config.unset}"],
        env: { KEY: "${user_config.key}", NONE: "${user_config.unset}" },
      }),
      user_config: {
        dirs: { type: "directory", title: "Folders", multiple: true, default: ["${HOME}/Desktop"] },
        size: { type: "number", title: "Size", default: 10, min: 1, max: 100 },
        key: { type: "string", title: "Key", sensitive: true, required: true, default: "public" },
        unset: { type: "string", title: "Unset" },
      },
    });
    expect(inputs).toMatchObject([
      { name: "dirs", format: "path", isRepeated: true, default: ["/home/me/Desktop"] },
      { name: "size", format: "number", default: ["10"], min: 1, max: 100 },
      { name: "key", isSecret: true, isRequired: true },
      { name: "unset", isRequired: false },
    ]);
    expect(inputs[2]).not.toHaveProperty("default");
    const values = new Map([
      ["dirs", [user("/a"), user("/b")]],
      ["size", [user("5")]],
      ["key", [user("${KEY}")]],
    ]);
    expect(filledEntry({ ...offer, inputs }, values)).toMatchObject({
      args: ["x", "/a", "/b", "--size=5"],
      env: { KEY: "${KEY}" },
    });
  });

  it("leaves out an option together with a setting that is empty", () => {
    const offer = offerOf({
      ...docker("-e", "${user_config.key}", "ghcr.io/a/notes:1.2.3", "serve"),
      user_config: { key: { type: "string", title: "Key" } },
    });
    expect(filledEntry(offer, new Map())).toMatchObject({
      args: ["run", "-i", "ghcr.io/a/notes:1.2.3", "serve"],
    });
    expect(filledEntry(offer, new Map([["key", [user("K=1")]]]))).toMatchObject({
      args: ["run", "-i", "-e", "K=1", "ghcr.io/a/notes:1.2.3", "serve"],
    });
  });

  it("uses the overrides of the platform", () => {
    const config = {
      command: "node",
      args: ["a"],
      env: { A: "1" },
      platform_overrides: { win32: { command: "bin/tool", env: { B: "2" } } },
    };
    expect(offerOf(server(config), "linux").runs).toMatchObject({ command: "node" });
    expect(offerOf(server(config), "win32").runs).toMatchObject({
      command: "/state/notes/bin/tool",
      args: [{ words: [["a"]] }],
      env: [{ name: "B", value: ["2"] }],
    });
  });

  it("runs Python bundles of the kind uv without a command of their own", () => {
    const { runs } = offerOf({ server: { type: "uv", entry_point: "server/index.js" } });
    expect(runs?.command).toBe("uv");
    expect(runs?.args.flatMap(({ words }) => words.flat())).toEqual([
      "run",
      "--directory",
      "/state/notes",
      "server/index.js",
    ]);
  });

  it("runs python3 where there is no python", () => {
    const python = server({ command: "python", args: ["x.py"] }, "python");
    expect(offerOf(python).runs?.command).toBe("python3");
  });

  it("says that a signature is not verified", () => {
    const signature = Buffer.concat([Buffer.from("MCPB_SIG_V1"), Buffer.alloc(100, 1)]);
    const signed = readBundle(Buffer.concat([bundle(), signature]));
    expect(bundleOffer(signed, PLACE).notes).toEqual(["It has a signature, which is not verified"]);
    const mentioned = bundle({}, [{ name: "a.txt", content: "MCPB_SIG_V1", method: 0 }]);
    expect(bundleOffer(readBundle(mentioned), PLACE).notes).toEqual([]);
  });

  it.each(["bin/tool", "${__dirname}/bin/tool", "./bin/tool", "${__dirname}\\bin\\tool"])(
    "runs %s in the bundle",
    (command) => {
      expect(offerOf(server({ command }, "binary")).runs?.command).toBe("/state/notes/bin/tool");
    },
  );

  it.each<[string, object]>([
    ["options without code", node("--no-warnings", "--max-old-space-size=4096", "server")],
    ["its own modules", node("--import", "${__dirname}/load.js", "-r", "./a.cjs", "x.js")],
    ["folders of the user", node("x.js", "${DOCUMENTS}/notes", "--home=${HOME}")],
    ["folders that the user chooses", withDir("--dir=${user_config.dir}/notes")],
    ["texts that are not paths", node("x.js", "https://a.example/b", "-v", "a=b", ".")],
    ["its own Python packages", env("PYTHONPATH", "${__dirname}/lib:${__dirname}/server/lib")],
    ["harmless variables", env("PYTHONUNBUFFERED", "1")],
    ["a variable that the user sets", withProxy({})],
    ["a module", server({ command: "python3", args: ["-u", "-m", "bin.tool"] })],
    ["a project of uv", uv("run", "--directory", "${__dirname}", "--frozen", "notes-server")],
    ["uv with options in front", uv("--quiet", "--directory", "${__dirname}", "run", "x.py")],
    ["Python in a project", uv("run", "--directory=${__dirname}", "python", "-u", "x.py")],
    ["a script of deno", server({ command: "deno", args: ["run", "-A", "main.ts"] })],
    ["a script of bun", server({ command: "bun", args: ["run", "main.ts"] })],
    ["a jar", server({ command: "java", args: ["-Xmx1g", "-jar", "a.jar", "x"] })],
    ["an exact package", npx("-y", "@a/notes@1.2.3", "--dir", "x")],
    ["an exact image", docker("--rm", "-e", "KEY", "ghcr.io/a/notes:1.2.3")],
  ])("accepts %s", (_, changes) => {
    const files = [{ name: "bin/tool.py" }, { name: "bin/__init__.py" }];
    expect(bundleOffer(readBundle(bundle(changes, files)), PLACE).runs).toBeDefined();
  });

  it.each<[string, object, RegExp]>([
    ["a shell", server({ command: "bash", args: ["-c", "x"] }), /neither in the bundle/],
    ["a program outside", server({ command: "/usr/bin/curl" }), /neither in the bundle/],
    ["a path out of it", server({ command: "${__dirname}/../x" }), /neither in the bundle/],
    ["another system", { compatibility: { platforms: ["darwin"] } }, /runs on darwin only/],
    ["no command", { server: { type: "node", entry_point: "server/index.js" } }, /mcp_config/],
    ["an unknown setting", server({ command: "node", args: ["${user_config.x}"] }), /setting 'x'/],
    ["a path that leaves it", node("${__dirname}/../../x.js"), /'\/state\/notes.* outside/],
    ["a relative one", node("server/../../x.js"), /path outside/],
    ["one on Windows", node("..\\\\..\\\\x.js"), /path outside/],
    ["an absolute path", node("/tmp/x.js"), /path outside/],
    ["a path beside it", node("${__dirname}\\server\\index.js"), /path outside/],
    ["a drive", node("C:\\\\x.js"), /path outside/],
    ["a home folder", node("~/x.js"), /path outside/],
    ["a file of the user as its code", node("${HOME}/x.js"), /not a file in the bundle/],
    ["a path in an option", node("index.js", "--load=/tmp/x.js"), /path outside/],
    ["a path above a setting", withDir("${user_config.dir}/../x"), /<dir>.* outside/],
    ["a setting as its code", withDir("${user_config.dir}", true), /not a file in the bundle/],
    ["inline code", node("-e", "1"), /option '-e' for node/],
    ["inline code in one word", node("--eval=1"), /option '--eval=1' for node/],
    ["code from elsewhere", node("--import", "tsx", "x.js"), /'tsx', which is not a path/],
    ["code from its input", node(), /which file node runs/],
    ["an inspector", node("--inspect-brk", "x.js"), /option '--inspect-brk'/],
    ["inline Python", server({ command: "python3", args: ["-uc", "1"] }), /option '-uc'/],
    ["another module", server({ command: "python3", args: ["-m", "pip"] }), /module 'pip'/],
    ["another package for uv", uv("run", "--with", "evil", "x.py"), /option '--with' for uv/],
    ["a folder for uv outside", uv("--directory", "${HOME}", "run", "x.py"), /not a path in/],
    ["an option in front of uv's command", uv("--index", "run", "run", "x.py"), /option|without/],
    ["another command of uv", uv("tool", "run", "evil"), /uv without 'run'/],
    ["a program behind uv", uv("run", "bash", "-c", "1"), /uv runs 'bash'/],
    ["inline Python behind uv", uv("run", "python", "-c", "1"), /option '-c'/],
    ["a remote module", server({ command: "deno", args: ["run", "npm:evil"] }), /deno runs 'npm/],
    ["a subcommand", server({ command: "bun", args: ["x", "evil"] }), /bun runs 'x'/],
    ["an agent", server({ command: "java", args: ["-javaagent:a.jar"] }), /-javaagent/],
    ["a package without a version", npx("-y", "evil"), /'evil' with npx: it names no exact/],
    ["a range of versions", npx("-y", "@a/evil@^1.0.0"), /not exact/],
    ["an option of npx", npx("--call", "x", "evil@1.0.0"), /option '--call' for npx/],
    ["a moving image", docker("evil:latest"), /not exact/],
    [
      "a folder for a container",
      docker("-v", "data:/x", "-v", "/:/y", "e:1.0.0"),
      /outside|mounts/,
    ],
    ["code for node", env("NODE_OPTIONS", "--require=./x.js"), /sets NODE_OPTIONS/],
    ["code for all programs", env("LD_PRELOAD", "${__dirname}/x.so"), /sets LD_PRELOAD/],
    ["other programs", env("Path", "/tmp"), /sets Path/],
    ["folders with other code", env("PYTHONPATH", "${__dirname}/lib:/tmp"), /sets PYTHONPATH/],
    ["a default for such a variable", withProxy({ default: "http://x" }), /sets HTTPS_PROXY/],
    [
      "a variable twice",
      server({ command: "node", args: ["x"], env: { A: "", a: "" } }),
      /than once/,
    ],
    ["a strange variable", server({ command: "node", env: { "A B": "1" } }), /name of a variable/],
    ["a strange setting", { user_config: { "a b": { type: "string" } } }, /name of a setting/],
  ])("refuses %s", (_, changes, problem) => {
    expect(() => offerOf(changes)).toThrow(problem);
  });
});
