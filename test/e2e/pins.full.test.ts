/**
 * Pinned definitions: what a server defines differently from the lock file. In the full suite because
 * each case starts a workbench; the torture scenario S-28 is in `npm test`.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import {
  changingServer,
  type ChangingServer,
  type Definitions,
} from "../support/changing-server.ts";
import { APPROVED_NOTES, CHANGED_NOTES } from "../support/notes-server.ts";
import { perTest } from "../support/disposables.ts";
import { exchange, type HttpClient, type Message, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type Params } from "../support/raw-client.ts";
import { MISSING_COMMAND, dev } from "../support/servers.ts";
import { type Place, prepareWorkbench, runCommand } from "../support/workbench.ts";

const cleanup = perTest();

const lockOf = ({ dir }: Place): string => join(dir, "workbench-lock.json");
const lockText = (place: Place): string => readFileSync(lockOf(place), "utf8");

interface Differences {
  readonly same: boolean;
  readonly servers: readonly {
    readonly differences: readonly {
      name: string;
      what: string;
      change: string;
      severity: string;
    }[];
  }[];
}

describe("lock, diff and trust", () => {
  it("write, compare and accept definitions", () => {
    const server = changingServer(cleanup, APPROVED_NOTES);
    const config = dev({ notes: server.entry, gone: MISSING_COMMAND });
    const place = prepareWorkbench(cleanup, config);
    const run = (...args: string[]): ReturnType<typeof runCommand> => runCommand(place, ...args);
    expect(run("lock", "--check")).toMatchObject({ code: 1 });
    expect(existsSync(lockOf(place))).toBe(false);
    // One server cannot be read.
    expect(run("lock")).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/dev\/gone: not read/),
    });
    place.writeConfig(dev({ notes: server.entry }));
    const approved = lockText(place);
    // Another spelling of the same definitions.
    const spelled = JSON.stringify(APPROVED_NOTES).replace('"maximum":100', '"maximum":1.0e2');
    server.define(JSON.parse(spelled, (_key, value: unknown) => value) as Definitions);
    expect(run("lock")).toMatchObject({ code: 0 });
    expect(lockText(place)).toBe(approved);
    expect(approved.split("\n").filter((line) => line.includes("_note"))).toHaveLength(2);

    server.define(CHANGED_NOTES);
    const shown = run("diff", "dev/notes", "--json");
    expect(shown.code).toBe(1);
    const { servers } = JSON.parse(shown.stdout) as Differences;
    const found = servers[0]?.differences.map(({ what, name, change, severity }) =>
      [severity, what, name, change].join(" "),
    );
    expect(found).toEqual([
      "severe tools write_note changed",
      "review instructions  changed",
      "review tools copy_note added",
      "review prompts greet changed",
      "review resourceTemplates note:///{id} changed",
      "cosmetic tools read_note changed",
    ]);
    const { checks } = JSON.parse(run("doctor", "--json").stdout) as { checks: object[] };
    expect(checks).toContainEqual({
      area: "servers",
      subject: "dev/notes",
      status: "warning",
      message: "5 differences from workbench-lock.json, 1 severe",
      fix: "mcp-workbench diff dev/notes",
    });
    expect(run("trust", "dev/notes")).toMatchObject({ code: 2 });
    expect(lockText(place)).toBe(approved);
    expect(run("trust", "dev/notes/copy_note", "--yes")).toMatchObject({ code: 0 });
    expect(
      lockText(place)
        .split("\n")
        .filter((line) => !approved.includes(line)),
    ).toEqual([expect.stringContaining('"copy_note": { "hash": "sha256-')]);
    // A server that is no longer configured is a difference, and is shown as one.
    place.writeConfig(dev({ renamed: server.entry }));
    const renamed = JSON.parse(run("diff", "--json").stdout) as { servers: object[] };
    expect(renamed.servers).toMatchObject([
      { server: "dev/renamed" },
      { server: "dev/notes", differences: [{ what: "server", change: "removed" }] },
    ]);
    writeFileSync(lockOf(place), "{}");
    expect(run("lock")).toMatchObject({ code: 3 });
    expect(lockText(place)).toBe("{}");
  });
});

type Ask = (client: HttpClient, method: string, params?: Params) => Promise<Message>;

const ASK: Readonly<Record<"legacy" | "modern", Ask>> = {
  legacy: async (client, method, params) => {
    if (client.sessionId === undefined) await client.initialize();
    return client.ask(method, params);
  },
  modern: async (client, method, params) => {
    const { text } = await client.modern(method, params).done();
    return messagesIn(text).at(-1) as Message;
  },
};

/** A workbench whose server has changed since it was approved. */
async function startChanged(
  options: Readonly<Record<string, unknown>>,
): Promise<{ workbench: HttpWorkbench; server: ChangingServer }> {
  const server = changingServer(cleanup, APPROVED_NOTES);
  const place = prepareWorkbench(cleanup, dev({ notes: server.entry }));
  expect(runCommand(place, "lock").code).toBe(0);
  server.define(CHANGED_NOTES);
  const config = dev({ notes: server.entry }, { ...options });
  const workbench = await startHttpWorkbench(cleanup, config, {
    args: ["--no-auth"],
    before: (own) => writeFileSync(lockOf(own), lockText(place)),
  });
  return { workbench, server };
}

const namesIn = ({ result }: Message, list: string): unknown[] =>
  ((result ?? {})[list] as { name: unknown }[]).map(({ name }) => name);
const messageOf = ({ result, error }: Message): string =>
  error?.message ?? firstText({ result } as Message) ?? "";

describe("pins: enforce", () => {
  it("hides what is not approved from every kind of client and refuses to call it", async () => {
    const { workbench, server } = await startChanged({ pins: "enforce" });
    const reason =
      /Blocked tool 'write_note' .*changed since it was approved.*mcp-workbench diff dev\/notes/;
    for (const ask of Object.values(ASK)) {
      const proxy = workbench.client();
      const opened = await ask(proxy, "tools/call", {
        name: "open_toolbox",
        arguments: { toolbox: "dev" },
      });
      const toolbox = JSON.parse(firstText(opened) ?? "") as {
        tools: { name: string }[];
        instructions?: object;
      };
      expect(toolbox.tools.map(({ name }) => name)).toEqual(["read_note"]);
      expect(toolbox.instructions).toBeUndefined();
      const search = { name: "search_tools", arguments: { query: "note" } };
      expect(firstText(await ask(proxy, "tools/call", search))).not.toMatch(/write_note|copy_note/);
      const call = (path: string): Promise<Message> =>
        ask(proxy, "tools/call", useToolParams(path, {}));
      expect(firstText(await call("dev/notes/read_note"))).toBe("called read_note");
      expect(messageOf(await call("dev/notes/write_note"))).toMatch(reason);
      expect(messageOf(await call("dev/notes/copy_note"))).toMatch(/has not been approved/);
      expect(namesIn(await ask(proxy, "prompts/list"), "prompts")).toEqual([]);
      expect(namesIn(await ask(proxy, "resources/templates/list"), "resourceTemplates")).toEqual(
        [],
      );
      const prompt = await ask(proxy, "prompts/get", { name: "dev__notes__greet" });
      expect(messageOf(prompt)).toMatch(/Blocked prompt 'greet'/);
      const complete = (client: HttpClient, uri: string): Promise<Message> => {
        const ref = { type: "ref/resource", uri };
        return ask(client, "completion/complete", { ref, argument: { name: "id", value: "" } });
      };
      const template = /Blocked resource template 'note:\/\/\/\{id\}'/;
      expect(messageOf(await complete(proxy, "workbench://dev/notes/note:///{id}"))).toMatch(
        template,
      );

      const direct = workbench.client("/mcp/dev/notes");
      expect(namesIn(await ask(direct, "tools/list"), "tools")).toEqual(["read_note"]);
      expect(namesIn(await ask(direct, "prompts/list"), "prompts")).toEqual([]);
      const templates = await ask(direct, "resources/templates/list");
      expect(namesIn(templates, "resourceTemplates")).toEqual([]);
      expect(messageOf(await complete(direct, "note:///{id}"))).toMatch(template);
      expect(messageOf(await ask(direct, "tools/call", { name: "write_note" }))).toMatch(reason);
      expect(messageOf(await ask(direct, "prompts/get", { name: "greet" }))).toMatch(
        /Blocked prompt/,
      );
      const hello = ask === ASK.modern ? await ask(direct, "server/discover") : undefined;
      expect(
        JSON.stringify(hello ?? (await workbench.client("/mcp/dev/notes").initialize())),
      ).not.toMatch(/Notes are/);
    }
    expect(new Set(server.used())).toEqual(new Set(["read_note"]));

    // Accepting in a terminal takes effect in the running workbench.
    expect(runCommand(workbench, "trust", "dev/notes", "--yes").code).toBe(0);
    const client = workbench.client();
    const call = (): Promise<Message> =>
      ASK.modern(client, "tools/call", useToolParams("dev/notes/write_note", {}));
    await waitFor(
      async () => firstText(await call()) === "called write_note",
      GENEROUS_MS,
      "the approval",
    );
    const direct = workbench.client("/mcp/dev/notes");
    expect(JSON.stringify(await direct.initialize())).toMatch(/Notes are long/);
    expect(namesIn(await direct.ask("prompts/list"), "prompts")).toEqual(["greet"]);

    // A change while the server runs counts for the next call.
    server.define(APPROVED_NOTES);
    await waitFor(
      async () => /Blocked tool/.test(messageOf(await call())),
      GENEROUS_MS,
      "the change",
    );
    // A tool that is absent for a while stays approved.
    server.define({ ...CHANGED_NOTES, tools: [] });
    await waitFor(
      async () => /not found/.test(messageOf(await call())),
      GENEROUS_MS,
      "the absence",
    );
    server.define(CHANGED_NOTES);
    await waitFor(
      async () => firstText(await call()) === "called write_note",
      GENEROUS_MS,
      "the return",
    );

    // A damaged lock file blocks everything, and a missing one does, too.
    for (const [text, expected] of [
      ["{", /workbench-lock\.json is damaged/],
      [undefined, /there is no .*workbench-lock\.json/],
    ] as const) {
      if (text === undefined) rmSync(lockOf(workbench));
      else writeFileSync(lockOf(workbench), text);
      await waitFor(
        async () => expected.test(messageOf(await call())),
        GENEROUS_MS,
        String(expected),
      );
      const opened = await ASK.modern(client, "tools/call", {
        name: "open_toolbox",
        arguments: { toolbox: "dev" },
      });
      expect(firstText(opened)).toMatch(expected);
    }
    const used = server.used().length;
    expect(messageOf(await ASK.legacy(direct, "resources/read", { uri: "note:///1" }))).toMatch(
      /Blocked/,
    );
    expect(server.used()).toHaveLength(used);
  });

  it("applies to native tools, and off and warn block nothing", async () => {
    const { workbench } = await startChanged({ pins: "enforce", toolMode: "dynamic" });
    const session = workbench.client();
    await session.initialize();
    await session.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    const write = { name: "dev__notes__write_note" };
    for (const ask of Object.values(ASK)) {
      const names = namesIn(await ask(session, "tools/list"), "tools");
      expect(names.filter((name) => String(name).startsWith("dev__"))).toEqual([
        "dev__notes__read_note",
      ]);
      expect(messageOf(await ask(session, "tools/call", write))).toMatch(
        /changed since it was approved/,
      );
    }
    const config = JSON.parse(readFileSync(workbench.configFile, "utf8")) as { pins?: string };
    // Without the setting, the lock file is reason enough to warn.
    writeFileSync(workbench.configFile, JSON.stringify({ ...config, pins: undefined }));
    const call = (): Promise<Message> => ASK.modern(session, "tools/call", write);
    await waitFor(
      async () => firstText(await call()) === "called write_note",
      GENEROUS_MS,
      "the setting",
    );
    await waitFor(
      () => workbench.stderr().includes("not as approved in workbench-lock.json"),
      GENEROUS_MS,
      "the warning",
    );
    const { text } = await exchange(`${workbench.url}/api/status`, { method: "GET" });
    const status = JSON.parse(text) as {
      toolboxes: { servers: { problems: string[] }[] }[];
    };
    expect(status.toolboxes[0]?.servers[0]?.problems).toEqual([
      "not as approved in workbench-lock.json: tools write_note, copy_note; instructions. To review: mcp-workbench diff dev/notes",
    ]);
  });
});
