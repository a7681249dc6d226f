/** Results that are too large for their client: with a real server, all clients, and a full disk. In the full suite because it starts a program for most of its tests. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type ToolResult, useToolParams } from "../support/calls.ts";
import { connect } from "../support/clients/connect.ts";
import { META, MODERN, type Params } from "../support/clients/json-rpc.ts";
import { CLIENTS } from "../support/clients/matrix-client.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpClient, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { RawClient } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { type Config, dev, publicServer } from "../support/servers.ts";
import { type Place, prepareWorkbench, temporaryFolder } from "../support/workbench.ts";

const FILE_BYTES = 5_000_000;
const TOTAL_BYTES = 6_000_000;
const cleanup = perBlock();
const folder = temporaryFolder(cleanup);
const file = join(folder, "large.txt");
/** Every kind of text: line breaks, quotes, several bytes per character, and a separator of lines. */
const LINE = 'line "1"\tgrüße 漢字 😀 \u2028 \\ end\n';
const text = LINE.repeat(Math.ceil(FILE_BYTES / Buffer.byteLength(LINE)));
writeFileSync(file, text);
const rows = Array.from({ length: 900 }, (_, id) => ({
  id,
  name: `row ${id}`,
  big: "x".repeat(9),
}));
const listFile = join(folder, "list.json");
const forbidden = join(folder, "forbidden.txt");
const list = `{"total": 12345678901234567890, "paths": [${JSON.stringify(forbidden)}], "rows": ${JSON.stringify(rows)}}`;
writeFileSync(listFile, list);

const SCRIPTS = { scripts: { enabled: true } };
const config = (options: Record<string, unknown>): Config =>
  dev({ files: publicServer("filesystem", folder) }, { ...SCRIPTS, ...options });

const reading = (path: string): Params => useToolParams("dev/files/read_text_file", { path });

interface Hint {
  readonly result: string;
  readonly bytes: number;
  readonly shape: string;
  readonly next: string;
  readonly head: string;
}

function hintIn(result: unknown): Hint {
  const { content, ...others } = result as ToolResult;
  expect(content).toHaveLength(1);
  expect(others).not.toHaveProperty("structuredContent");
  const hint = JSON.parse(content[0]?.text ?? "") as Hint;
  expect(Object.keys(hint)).toEqual(["result", "bytes", "shape", "next", "head"]);
  return hint;
}

function textIn(result: unknown): string | undefined {
  return (result as ToolResult | undefined)?.content[0]?.text;
}

/** The call that a hint suggests. */
function callIn({ next }: Hint): Params {
  const [, name, args = ""] = /^(\w+) (.*)$/.exec(next) ?? [];
  return { name, arguments: JSON.parse(args) as Params };
}

const resultsFolder = ({ env }: Place): string =>
  join(env["XDG_STATE_HOME"] ?? "", "mcp-workbench", "results");

/** The stored files, by their folders. */
function storedIn(place: Place): Record<string, string[]> {
  const root = resultsFolder(place);
  if (!existsSync(root)) return {};
  return Object.fromEntries(readdirSync(root).map((name) => [name, readdirSync(join(root, name))]));
}

function spawned(place: Place, shell = ""): RawClient {
  const child =
    shell === ""
      ? spawn(place.command, place.args, { cwd: place.dir, env: place.env })
      : spawn("sh", ["-c", `${shell}; exec "$@"`, "sh", place.command, ...place.args], {
          cwd: place.dir,
          env: place.env,
        });
  return new RawClient(child);
}

async function handshake(client: RawClient, name: string): Promise<void> {
  await client.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name, version: "1.0.0" },
  });
  client.notify("notifications/initialized");
}

const asModern = (name: string): Params => ({
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientCapabilities`]: {},
  [`${META}clientInfo`]: { name, version: "1.0.0" },
});

async function end(client: RawClient, signal?: NodeJS.Signals): Promise<void> {
  if (signal === undefined) client.child.stdin.end();
  else client.kill(signal);
  await client.exited;
}

describe("a client that truncates large results", () => {
  const rule = {
    tools: ["files/write_file"],
    arguments: { path: ["*forbidden*"] },
    action: "deny",
    reason: "not this file",
  };
  const place = prepareWorkbench(cleanup, config({ policy: { rules: [rule] } }));
  let client: RawClient;
  beforeAll(async () => {
    client = spawned(place);
    cleanup.defer(() => end(client));
    await handshake(client, "codex-mcp-client");
  });
  const call = async (params: Params): Promise<unknown> =>
    (await client.request("tools/call", params)).result;
  const writing = (args: Params): Params => useToolParams("dev/files/write_file", args);

  it("gets the id, the shape and the beginning of a result that is stored byte for byte", async () => {
    const hint = hintIn(await call(reading(file)));
    expect(hint).toEqual({
      result: "r1",
      bytes: Buffer.byteLength(text),
      shape: `text(${text.length}), ${text.split("\n").length} lines`,
      next: 'run_script {"script":"return results.r1.slice(1500, 6500)"}',
      head: text.slice(0, 1500),
    });
    const [session = ""] = readdirSync(resultsFolder(place));
    const stored = join(resultsFolder(place), session, "r1");
    expect(readFileSync(stored).equals(readFileSync(file))).toBe(true);
    const modes = [stored, join(stored, ".."), resultsFolder(place)].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  it("gets the shape of JSON, in both eras", async () => {
    const hint = hintIn(await call(reading(listFile)));
    expect(hint).toMatchObject({
      result: "r2",
      shape: "{total:number, paths:1×string, rows:900×{id:number, name:string, big:string}}",
      next: 'run_script {"script":"return results.r2.rows.slice(0, 20)"}',
    });
    const modern = await call({ ...reading(listFile), _meta: asModern("codex-mcp-client") });
    expect(modern).toMatchObject({ resultType: "complete" });
    expect(hintIn(modern)).toMatchObject({ result: "r3", bytes: Buffer.byteLength(list) });
  });

  it("can pass stored results to a tool, which gets exactly the original", async () => {
    const copy = join(folder, "copy.txt");
    const written = await call(writing({ path: copy, content: { $result: "r1" } }));
    expect(textIn(written)).toContain("Successfully wrote");
    expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
    const name = { $result: "r2", path: "rows[7].name" };
    await call(writing({ path: copy, content: name }));
    expect(readFileSync(copy, "utf8")).toBe("row 7");
  });

  it("cannot use a reference to get around a condition on arguments", async () => {
    const path = { $result: "r2", path: "paths[0]" };
    const denied = await call(writing({ path, content: "x" }));
    expect(denied).toMatchObject({ isError: true });
    expect(textIn(denied)).toContain("not this file");
    expect(readdirSync(folder)).not.toContain("forbidden.txt");
  });

  it.each([
    [{ $result: "r99" }, "Result 'r99' not found"],
    [{ $result: "r1", path: "rows" }, "'r1' is text, so it has no path 'rows'"],
    [{ $result: "r2", path: "rows[900]" }, "'r2' has no 'rows[900]'"],
    [{ $result: "r2", path: "rows[" }, "path 'rows[' is malformed"],
    [{ $result: "r1", other: 1 }, "a reference is"],
    [{ $Result: "r1" }, "'$Result' could be mistaken for '$result'"],
  ])("gets an error for %j", async (content, message) => {
    const refused = await call(writing({ path: join(folder, "never.txt"), content }));
    expect(refused).toMatchObject({ isError: true });
    expect(textIn(refused)).toContain(message);
    expect(readdirSync(folder)).not.toContain("never.txt");
  });

  it("can run the suggested scripts as written, and read long output of scripts", async () => {
    const script = (source: string): Promise<unknown> =>
      call({ name: "run_script", arguments: { script: source } });
    const hint = hintIn(await call(reading(file)));
    expect(textIn(await call(callIn(hint)))).toBe(text.slice(1500, 6500));
    const list = hintIn(await call(reading(listFile)));
    expect(JSON.parse(textIn(await call(callIn(list))) ?? "")).toEqual(rows.slice(0, 20));
    const long = textIn(await script('return "0123456789".repeat(1500)')) ?? "";
    // The client shows 10,000 bytes.
    expect(long).toMatch(
      /^(0123456789){950}\n… \[truncated: the first 9500 of 15000 characters \(this client shows no more\)\. All of it is stored/,
    );
    const [id = ""] = /results\.r\d+/.exec(long) ?? [];
    expect(textIn(await script(`return ${id}.length`))).toBe("15000");
    expect(textIn(await script("return results.r99"))).toContain("no stored result 'r99'");
  });

  it("can read stored results in scripts however it names them", async () => {
    const script = async (source: string): Promise<string | undefined> =>
      textIn(await call({ name: "run_script", arguments: { script: source } }));
    expect(await script("const { r2 } = results; return r2.rows.length")).toBe("900");
    expect(await script('const all = results, id = "r2"; return all[id].rows.length')).toBe("900");
    expect(await script("// r1 r2\nreturn Object.keys(results)")).toBe('["r1","r2"]');
    expect(await script('return results.text("r2")[0] + ("r3" in results)')).toBe("{true");
    expect(await script('return results["r" + 2]')).toContain(
      "it has expired, or its id is not written in the script",
    );
  });

  it("learns how much of the output of a script is stored", async () => {
    const source = 'for (let i = 0; i < 3; i++) console.log("x".repeat(400_000))';
    const result = await call({ name: "run_script", arguments: { script: source } });
    const printed = (result as ToolResult).content[1]?.text ?? "";
    const [, total, stored, id = ""] =
      /of (\d+) characters .*Its first (\d+) characters are stored: .*(results\.r\d+)/.exec(
        printed,
      ) ?? [];
    expect(Number(total)).toBe(1_200_002);
    const length = await call({ name: "run_script", arguments: { script: `return ${id}.length` } });
    expect(textIn(length)).toBe(stored);
  });

  it("has to write the keys of a script exactly", async () => {
    const answer = async (args: string): Promise<string> => {
      const params = `{"name":"run_script","arguments":${args}}`;
      return textIn((await client.requestText("tools/call", params)).result) ?? "";
    };
    expect(await answer('{"script":"return 1","script":"return 2"}')).toContain("occurs twice");
    expect(await answer(String.raw`{"\u0073cript":"return 1"}`)).toContain("contains escapes");
    expect(await answer('{"Script":"return 1"}')).toContain("could be mistaken");
  });

  it("gets small results, errors and results for other clients unchanged", async () => {
    const small = join(folder, "small.txt");
    writeFileSync(small, "x".repeat(9000));
    expect(textIn(await call(reading(small)))).toBe("x".repeat(9000));
    expect(await call(reading(join(folder, "missing")))).toMatchObject({ isError: true });
    const unknown = await call({ ...reading(file), _meta: asModern("unknown-client") });
    expect(textIn(unknown)).toBe(text);
    const hinted = await call({ ...reading(listFile), _meta: asModern("claude-code") });
    expect(textIn(hinted)).toBe(list);
  });
});

describe("a workbench that is killed", () => {
  it("leaves files that the next one removes, and one that ends removes its own", async () => {
    const place = prepareWorkbench(cleanup, config({}));
    const killed = spawned(place);
    await handshake(killed, "codex-mcp-client");
    hintIn((await killed.request("tools/call", reading(file))).result);
    const [left = ""] = Object.keys(storedIn(place));
    await end(killed, "SIGKILL");
    expect(storedIn(place)).toEqual({ [left]: ["r1"] });
    const next = spawned(place);
    await handshake(next, "codex-mcp-client");
    expect(hintIn((await next.request("tools/call", reading(file))).result).result).toBe("r1");
    expect(Object.keys(storedIn(place))).not.toContain(left);
    expect(Object.values(storedIn(place))).toEqual([["r1"]]);
    await end(next);
    expect(storedIn(place)).toEqual({});
  });
});

describe("a result that cannot be stored", () => {
  it("is passed on unchanged if the folder cannot be used", async () => {
    const place = prepareWorkbench(cleanup, config({}));
    mkdirSync(join(resultsFolder(place), ".."), { recursive: true });
    writeFileSync(resultsFolder(place), "not a folder");
    const client = spawned(place);
    await handshake(client, "codex-mcp-client");
    expect(textIn((await client.request("tools/call", reading(file))).result)).toBe(text);
    await end(client);
  });

  it("is passed on unchanged if the disk is full, and nothing is left of it", async () => {
    const place = prepareWorkbench(cleanup, config({}));
    // A file may have 1000 blocks of 512 or 1024 bytes; the signal would end the process.
    const client = spawned(place, "trap '' XFSZ; ulimit -f 1000");
    await handshake(client, "codex-mcp-client");
    expect(textIn((await client.request("tools/call", reading(file))).result)).toBe(text);
    expect(Object.values(storedIn(place))).toEqual([[]]);
    const hint = hintIn((await client.request("tools/call", reading(listFile))).result);
    expect(hint.result).toBe("r2");
    await end(client);
  });
});

describe("native tools", () => {
  const LARGE = "x".repeat(30_000);
  const program = `
    const result = (name) => name === "typed"
      ? { content: [{ type: "text", text: "${LARGE}" }], structuredContent: { text: "${LARGE}" } }
      : { content: [{ type: "text", text: "${LARGE}" }, { type: "image", data: "AAAA", mimeType: "image/png" }], more: 1 };
    serve({
      ...legacy({ tools: {} }),
      "tools/list": () => ({ tools: [
        { name: "plain", inputSchema: { type: "object" } },
        { name: "typed", inputSchema: { type: "object" }, outputSchema: { type: "object" } },
      ] }),
      "tools/call": ({ name }) => result(name),
    });`;

  it("have their results stored unless they have an output schema", async () => {
    const results = { limit: 10_000 };
    const options = { toolMode: "dynamic", results } as const;
    const place = prepareWorkbench(cleanup, dev({ fx: scriptServer(cleanup, program) }, options));
    const client = spawned(place);
    await handshake(client, "some-client");
    const call = async (name: string, args: Params = {}): Promise<unknown> =>
      (await client.request("tools/call", { name, arguments: args })).result;
    await call("open_toolbox", { toolbox: "dev" });
    const { content, ...others } = (await call("dev__fx__plain")) as ToolResult;
    expect(others).toEqual({ more: 1 });
    expect(content.slice(1)).toEqual([{ type: "image", data: "AAAA", mimeType: "image/png" }]);
    const hint = JSON.parse(content[0]?.text ?? "") as Hint;
    expect(textIn(await call("run_script", callIn(hint)["arguments"] as Params))).toBe(
      LARGE.slice(1500, 6500),
    );
    const long = await call("run_script", { script: 'return "x".repeat(15_000)' });
    expect(textIn(long)).toContain("first 9500 of 15000 characters (setting results.limit)");
    expect(await call("dev__fx__typed")).toEqual({
      content: [{ type: "text", text: LARGE }],
      structuredContent: { text: LARGE },
    });
    await end(client);
  });
});

describe("stored results over HTTP", () => {
  let workbench: HttpWorkbench;
  beforeAll(async () => {
    const results = { limit: 20_000, totalBytes: TOTAL_BYTES };
    workbench = await startHttpWorkbench(cleanup, config({ results }));
  });

  it.each(CLIENTS)("are announced to %s, and are what the server sent", async (kind) => {
    const { url, token } = workbench;
    const client = await connect(kind, {
      transport: "http",
      url: `${url}/mcp`,
      headers: { authorization: `Bearer ${token}` },
    });
    const before = storedIn(workbench);
    const hint = hintIn(await client.request("tools/call", reading(file)));
    expect(hint).toMatchObject({ bytes: Buffer.byteLength(text), head: text.slice(0, 1500) });
    const session = Object.keys(storedIn(workbench)).find((name) => !(name in before)) ?? "";
    const stored = readFileSync(join(resultsFolder(workbench), session, hint.result));
    expect(stored.equals(readFileSync(file))).toBe(true);
    await client.close();
  });

  it("exist for their session only, and end with it", async () => {
    const [one, other] = [workbench.client(), workbench.client()];
    await one.initialize();
    await other.initialize();
    const read = async (client: HttpClient): Promise<unknown> =>
      (await client.ask("tools/call", reading(listFile))).result;
    const use = async (client: HttpClient, id: string): Promise<string | undefined> => {
      const path = join(folder, "over-http.txt");
      const args = { path, content: { $result: id, path: "rows[1].name" } };
      return textIn(
        (await client.ask("tools/call", useToolParams("dev/files/write_file", args))).result,
      );
    };
    expect(hintIn(await read(one)).result).toBe("r1");
    const before = storedIn(workbench);
    expect(hintIn(await read(one)).result).toBe("r2");
    expect(hintIn(await read(other)).result).toBe("r1");
    const missing = (await use(other, "r2"))?.replace("r2", "ID");
    expect(missing).toContain("not found");
    expect((await use(other, "r999"))?.replace("r999", "ID")).toBe(missing);
    expect(await use(one, "r2")).toContain("Successfully wrote");
    // A modern client of the same principal has results of its own.
    const params = useToolParams("dev/files/write_file", { path: "x", content: { $result: "r2" } });
    const { text: answer } = await one.modern("tools/call", params).done();
    expect(answer).not.toContain("Successfully wrote");
    await one.leave();
    const after = storedIn(workbench);
    expect(Object.keys(after).filter((name) => name in before)).not.toEqual(Object.keys(before));
    expect(messagesIn(answer)).not.toEqual([]);
  });

  it("do not exist for a client that sees a single server", async () => {
    const client = workbench.client("/mcp/dev/files");
    await client.initialize();
    const params = { name: "read_text_file", arguments: { path: listFile } };
    expect(textIn((await client.ask("tools/call", params)).result)).toBe(list);
  });

  it("make room for new ones", async () => {
    const client = workbench.client();
    await client.initialize();
    for (let i = 0; i < 2; i++) hintIn((await client.ask("tools/call", reading(file))).result);
    const sizes = Object.entries(storedIn(workbench)).flatMap(([session, names]) =>
      names.map((name) => statSync(join(resultsFolder(workbench), session, name)).size),
    );
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(TOTAL_BYTES);
  });
});
