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

  it.each(["bin/tool", "${__dirname}/bin/tool", "./bin/tool"])(
    "runs %s in the bundle",
    (command) => {
      expect(offerOf(server({ command }, "binary")).runs?.command).toBe("/state/notes/bin/tool");
    },
  );

  it.each<[string, object, RegExp]>([
    ["a shell", server({ command: "bash", args: ["-c", "x"] }), /neither in the bundle/],
    ["a program outside", server({ command: "/usr/bin/curl" }), /neither in the bundle/],
    ["a path out of it", server({ command: "${__dirname}/../x" }), /neither in the bundle/],
    ["another system", { compatibility: { platforms: ["darwin"] } }, /runs on darwin only/],
    ["no command", { server: { type: "node", entry_point: "server/index.js" } }, /mcp_config/],
    ["an unknown setting", server({ command: "node", args: ["${user_config.x}"] }), /setting 'x'/],
    ["a strange variable", server({ command: "node", env: { "A B": "1" } }), /name of a variable/],
    ["a strange setting", { user_config: { "a b": { type: "string" } } }, /name of a setting/],
  ])("refuses %s", (_, changes, problem) => {
    expect(() => offerOf(changes)).toThrow(problem);
  });
});
