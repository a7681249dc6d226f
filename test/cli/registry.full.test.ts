/**
 * `registry` and `add` with servers of a registry and bundles: questions in a terminal, private
 * registries, hostile entries, undoing. `npm test` has the commands of docs/adding-servers.md and the
 * rules in src/offers.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import {
  type CliPlace,
  cliPlace,
  HAS_TERMINAL,
  ownConfig,
  runCli,
  runJson,
  runTerminal,
} from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import {
  type FixtureRegistry,
  registryEntry,
  startRegistry,
  WEATHER,
} from "../support/registry.ts";
import { bundle, NOTES, NOTES_SERVER } from "../support/zip.ts";

const disposables = perTest();
const ESCAPE = "\u001b[2J";
let registry: FixtureRegistry;
let place: CliPlace;
let config = "";

beforeEach(async () => {
  registry = await startRegistry(disposables);
  registry.entries.push(registryEntry(WEATHER));
  place = cliPlace(disposables);
  config = ownConfig(place);
  for (const name of ["npx", "docker"])
    writeFileSync(join(place.env["PATH"] ?? "", name), "#!/bin/sh\n", { mode: 0o755 });
});

const from = (...args: string[]): string[] => ["add", ...args, "--registry", registry.url];
const read = (): string => readFileSync(config, "utf8");
const state = (): string => join(place.home, ".local/state/mcp-workbench");

describe("registry WORDS", () => {
  it("prints a document with the documented keys", async () => {
    const document = await runJson(place, ["registry", "weather", "--registry", registry.url]);
    expect(document).toEqual({
      exit: 0,
      registry: registry.url,
      words: ["weather"],
      servers: [
        {
          name: WEATHER.name,
          title: null,
          description: "Weather for cities",
          version: "1.2.0",
          status: "active",
          website: null,
          repository: "https://example.com/repository",
          packages: [
            { type: "npm", identifier: "@example/weather", version: "1.2.3", transport: "stdio" },
          ],
          remotes: [],
        },
      ],
      hasMore: false,
    });
    const none = await runCli(place, ["registry", "nothing", "--registry", registry.url]);
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining("has no server") });
  });
});

describe("add NAME", () => {
  it("changes nothing without consent, with a missing value, or in a dry run", async () => {
    const values = ["--set", "city=Rome", "--set", "WEATHER_API_KEY=wk-secret-4711"];
    const unasked = await runCli(place, from(WEATHER.name, ...values));
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("not confirmed") });
    const missing = await runCli(place, from(WEATHER.name, "--yes", "--set", "city="));
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Values are missing: city, WEATHER_API_KEY (secret)"),
    });
    const dry = await runCli(place, from(WEATHER.name, "--dry-run", ...values));
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain('+            "WEATHER_API_KEY": "${WEATHER_API_KEY}"');
    expect(dry.stdout + dry.stderr).not.toContain("wk-secret");
    expect(existsSync(config)).toBe(false);
    expect(existsSync(join(config, "../secrets.env"))).toBe(false);
  });

  it.each<[string, readonly string[], string]>([
    ["an unknown input", ["--set", "towns=x"], "It has no input 'towns'"],
    ["another choice", ["--set", "units=kelvin"], "units must be one of metric, imperial"],
    ["two values", ["--set", "city=a", "--set", "city=b"], "city takes one value"],
    ["an unknown kind", ["--package", "deb"], "--package takes npm"],
    ["a kind that it lacks", ["--package", "oci"], "It is available as npm"],
    ["secrets in the file", ["--secrets", "keep"], "not written into the configuration"],
    ["an option of other servers", ["--cwd", "/"], "--cwd is only for servers"],
  ])("refuses %s", async (_, args, problem) => {
    const values = ["--set", "city=Rome", "--set", "WEATHER_API_KEY=x"].filter(
      () => !args.includes("city=a"),
    );
    const { code, stderr } = await runCli(place, from(WEATHER.name, "--yes", ...values, ...args));
    expect(stderr).toContain(problem);
    expect(code).toBeGreaterThan(1);
    expect(existsSync(config)).toBe(false);
  });

  it("reports what was added as JSON, and undo removes the entry and its secret", async () => {
    const document = await runJson(
      place,
      from(WEATHER.name, "--yes", "--set", "city=Rome", "--set", "WEATHER_API_KEY=wk-secret-4711"),
    );
    expect(document).toMatchObject({
      exit: 0,
      changed: true,
      server: "weather",
      offer: {
        name: WEATHER.name,
        version: "1.2.0",
        kind: "npm",
        packageVersion: "1.2.3",
        folder: null,
        needs: expect.arrayContaining([
          expect.objectContaining({ name: "WEATHER_API_KEY", secret: true, required: true }),
        ]),
      },
    });
    const secrets = join(config, "../secrets.env");
    expect(readFileSync(secrets, "utf8")).toContain("wk-secret-4711");
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    expect((await runCli(place, ["undo", "--yes"])).code).toBe(0);
    expect(existsSync(config)).toBe(false);
    expect(existsSync(secrets) ? readFileSync(secrets, "utf8") : "").not.toContain("wk-secret");
  });

  it("stores each value of a secret that may have several", async () => {
    const option = { type: "named", name: "--key", isSecret: true, isRepeated: true };
    const [npm] = WEATHER.packages;
    const packages = [{ ...npm, packageArguments: [option], environmentVariables: [] }];
    registry.entries.push(registryEntry({ name: "com.example/keys", packages }));
    const values = ["--set", "key=wk-first-4711", "--set", "key=wk-second-4712"];
    const { code, stderr } = await runCli(place, from("com.example/keys", "--yes", ...values));
    expect(code, stderr).toBe(0);
    expect(read()).not.toMatch(/wk-first|wk-second/);
    const secrets = readFileSync(join(config, "../secrets.env"), "utf8");
    expect(secrets).toMatch(/wk-first-4711[^]*wk-second-4712/);
  });

  it("says what to do if the registry cannot be reached", async () => {
    const closed = "http://127.0.0.1:9";
    const { code, stderr } = await runCli(place, ["registry", "weather", "--registry", closed]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/Cannot reach 127\.0\.0\.1:9[^]*add NAME -- COMMAND/);
  });

  it("shows hostile texts as escapes, and never runs or expands them", async () => {
    registry.entries.push(
      registryEntry({
        name: "com.evil/x",
        description: `${ESCAPE}nice`,
        packages: [
          {
            registryType: "npm",
            identifier: "x",
            version: "1.0.0",
            transport: { type: "stdio" },
            packageArguments: [
              { type: "positional", value: "; touch $(HOME)/pwned" },
              { type: "positional", value: "${HOME}" },
              { type: "named", name: "--in", description: `${ESCAPE}in`, default: "${PATH}" },
            ],
            environmentVariables: [{ name: "A", value: "`id`" }],
          },
        ],
      }),
    );
    const { code, stderr, stdout } = await runCli(place, from("com.evil/x", "--yes"));
    expect(code, stderr).toBe(0);
    expect(stderr + stdout).not.toContain("\u001b");
    expect(stderr).toContain("\\u{1b}[2Jnice");
    const { toolboxes } = JSON.parse(read()) as { toolboxes: Record<string, unknown> };
    expect(Object.values(toolboxes)[0]).toMatchObject({
      mcpServers: {
        x: {
          command: "npx",
          args: ["-y", "x@1.0.0", "; touch $(HOME)/pwned", "$${HOME}", "--in", "$${PATH}"],
          env: { A: "`id`" },
        },
      },
    });
  });

  it("takes everything after the first @ for the version", async () => {
    const twice = await runCli(place, from(`${WEATHER.name}@1.2.0@2`, "--dry-run"));
    expect(twice).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no version 1.2.0@2"),
    });
    const none = await runCli(place, from(`${WEATHER.name}@`, "--dry-run"));
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("is missing") });
  });

  it("refuses deleted servers and warns of deprecated ones", async () => {
    registry.entries.push(
      registryEntry({ ...WEATHER, name: "com.example/gone" }, { status: "deleted" }),
      registryEntry(
        { ...WEATHER, name: "com.example/old" },
        { status: "deprecated", statusMessage: `Use weather${ESCAPE}` },
      ),
    );
    const gone = await runCli(place, from("com.example/gone", "--dry-run"));
    expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining("was deleted") });
    const old = await runCli(place, from("com.example/old", "--dry-run"));
    expect(old.stderr).toContain("com.example/old is deprecated: Use weather\\u{1b}[2J");
    expect((await runCli(place, from("com.example/none"))).stderr).toContain("has no server");
  });

  it("sends the token of a private registry to it alone", async () => {
    const own = await startRegistry(disposables, { token: "reg-token-4711" });
    own.entries.push(registryEntry(WEATHER));
    const written = { registry: { url: own.url, token: "${REG_TOKEN}" }, toolboxes: {} };
    writeFileSync(config, JSON.stringify(written));
    const unset = await runCli(place, ["registry", "weather"]);
    expect(unset.stderr).toContain("REG_TOKEN is not set");
    writeFileSync(join(config, "../secrets.env"), "REG_TOKEN=reg-token-4711\n", { mode: 0o600 });
    const found = await runCli(place, ["registry", "weather"]);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining(WEATHER.name) });
    await runCli(place, ["registry", "weather", "--registry", registry.url]);
    expect(registry.requests.map(({ token }) => token)).toEqual([undefined]);
    expect(found.stdout + found.stderr + unset.stderr).not.toContain("reg-token");
  });

  it("downloads a bundle, verifies it and installs it", async () => {
    const bytes = bundle(NOTES, [], NOTES_SERVER);
    registry.files.set("/notes.mcpb", bytes);
    const entry = (fileSha256: string) => ({
      name: "com.example/my-notes",
      version: "9.9.9",
      packages: [
        {
          registryType: "mcpb",
          identifier: `${registry.url}/notes.mcpb`,
          fileSha256,
          transport: { type: "stdio" },
        },
      ],
    });
    registry.entries.push(registryEntry(entry("0".repeat(64))));
    const args = ["com.example/my-notes", "--yes", "--set", "notes_key=k-4711", "--toolbox", "web"];
    const wrong = await runCli(place, from(...args));
    expect(wrong.stderr).toContain("not the one that was published");
    expect(existsSync(join(state(), "bundles"))).toBe(false);
    registry.entries.push(registryEntry(entry(createHash("sha256").update(bytes).digest("hex"))));
    const added = await runCli(place, from(...args));
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("calls it 9.9.9") });
    const list = await runCli(place, ["list", "web/my-notes", "--json"]);
    expect(list.stdout).toContain("list_notes");
  });
});

describe("add FILE.mcpb", () => {
  const file = (): string => join(place.cwd, "x.mcpb");

  it("writes files that only the owner can read, once, and nothing else", async () => {
    writeFileSync(file(), bundle(NOTES, [{ name: "bin/run", mode: 0o100755 }], NOTES_SERVER));
    const args = ["add", "x.mcpb", "--yes", "--set", "notes_key=k-4711", "--toolbox", "web"];
    const { offer } = await runJson(place, args);
    const { folder } = offer as { folder: string };
    expect(readdirSync(folder).toSorted()).toEqual(["bin", "manifest.json", "server"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "manifest.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "bin/run")).mode & 0o777).toBe(0o700);
    const again = await runCli(place, [...args, "--name", "second"]);
    expect(again.code, again.stderr).toBe(0);
    expect(readdirSync(join(folder, ".."))).toHaveLength(1);
    const taken = await runCli(place, args);
    expect(taken.stderr).toContain("already has a server 'notes'");
    expect(readdirSync(join(folder, ".."))).toHaveLength(1);
  });

  it("makes the program executable that it runs, whatever the archive says", async () => {
    const program = { type: "binary", entry_point: "bin/run", mcp_config: { command: "bin/run" } };
    writeFileSync(file(), bundle({ server: program }, [{ name: "bin/run", mode: 0 }]));
    const { offer } = await runJson(place, ["add", "x.mcpb", "--yes", "--toolbox", "web"]);
    const { folder } = offer as { folder: string };
    expect(statSync(join(folder, "bin/run")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "server/index.js")).mode & 0o777).toBe(0o600);
  });

  it("notices changed files, and names a folder for deletion only if it is not used", async () => {
    const settings = ["--yes", "--set", "notes_key=k-4711", "--toolbox", "web"];
    writeFileSync(file(), bundle(NOTES, [], NOTES_SERVER));
    const { offer } = await runJson(place, ["add", "x.mcpb", ...settings]);
    const { folder } = offer as { folder: string };
    const second = await runCli(place, ["add", "x.mcpb", ...settings, "--name", "second"]);
    expect(second.stderr).not.toContain("were changed");
    writeFileSync(join(folder, "server/index.js"), "throw 1;");
    const third = await runCli(place, ["add", "x.mcpb", ...settings, "--name", "third"]);
    expect(third.stderr).toContain("Its files were changed after they were unpacked");
    const removed = await runCli(place, ["remove", "web/second", "--yes"]);
    expect(removed.code).toBe(0);
    expect(removed.stderr).not.toContain("rm -r");
    await runCli(place, ["remove", "web/third", "--yes"]);
    writeFileSync(file(), bundle({ ...NOTES, version: "3.0.0" }, [], NOTES_SERVER));
    const newer = await runCli(place, ["add", "x.mcpb", ...settings, "--force"]);
    expect(newer.stderr).toContain(`rm -r ${folder}`);
    expect(read()).toContain("/notes/3.0.0/");
  });

  it("writes nothing for a hostile bundle or a damaged file", async () => {
    const damaged = bundle({}, [{ name: "a", content: "abc", crc: 1 }]);
    for (const [bytes, problem] of [
      [bundle({}, [{ name: "../../evil" }]), "leads out of the bundle"],
      [bundle({}, [{ name: "link", content: "/etc", mode: 0o120777 }]), "is a link"],
      [damaged, "'a' is damaged"],
    ] as const) {
      writeFileSync(file(), bytes);
      const { code, stderr } = await runCli(place, ["add", "x.mcpb", "--yes", "--toolbox", "web"]);
      expect(stderr).toContain(`Cannot install the bundle ${file()}: `);
      expect(stderr).toContain(problem);
      expect(stderr).not.toContain("Internal error");
      expect(code).toBe(3);
    }
    expect(existsSync(config)).toBe(false);
    const missing = await runCli(place, ["add", "no.mcpb", "--yes"]);
    expect(missing.stderr).toContain("no.mcpb: it does not exist");
    expect(existsSync(join(state(), "bundles", "notes"))).toBe(false);
    const left = existsSync(state()) ? readdirSync(state(), { recursive: true }) : [];
    expect(left.filter((name) => /evil|link|index\.js/.test(String(name)))).toEqual([]);
    expect(existsSync(join(place.home, "evil"))).toBe(false);
  });
});

describe.skipIf(!HAS_TERMINAL)("add in a terminal", () => {
  it("asks for values, hides secrets, asks for the toolbox and for consent", async () => {
    const { code, screen } = await runTerminal(place, from(WEATHER.name), [
      ["units?", "2\n"],
      ["city:", "\n"],
      ["city is required", "Rome\n"],
      ["WEATHER_API_KEY (not shown)", "wk-secret-4711\r"],
      ["WEATHER_LOG", "\n"],
      ["Toolbox", "web\n"],
      ["Add it as web/weather?", "y\n"],
    ]);
    expect(code, screen).toBe(0);
    expect(screen).not.toContain("wk-secret");
    expect(JSON.parse(read())).toMatchObject({
      toolboxes: {
        web: {
          mcpServers: {
            weather: {
              args: ["-y", "@example/weather@1.2.3", "--units", "imperial", "Rome"],
              env: { WEATHER_API_KEY: "${WEATHER_API_KEY}" },
            },
          },
        },
      },
    });
  });

  it("changes nothing if the user declines", async () => {
    const values = ["--set", "city=Rome", "--set", "WEATHER_API_KEY=x", "--set", "WEATHER_LOG=1"];
    const { screen } = await runTerminal(
      place,
      from(WEATHER.name, ...values, "--set", "units=metric", "--toolbox", "web"),
      [["Add it as web/weather?", "n\n"]],
    );
    expect(screen).toContain("Nothing was changed.");
    expect(existsSync(config)).toBe(false);
  });
});
