/**
 * Whatever a server sends, once or all the time, others wait less than 250 ms. They are a client that
 * checks the health every few milliseconds, from a separate process.
 */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { killIfAlive } from "../support/proc.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev, fixture } from "../support/servers.ts";
import { isBearable, measure } from "./starvation.ts";

const cleanup = perTest();

/** A server that floods the workbench does not end by itself; the end is not what is measured here. */
const QUICK_END = { timeouts: { shutdownMs: 200 } };
const measureThenKill: typeof measure = async (what, workbench, attack) => {
  const measured = await measure(what, workbench, attack);
  for (const { pid } of workbench.servers()) killIfAlive(pid);
  return measured;
};

/** What servers do after their first call. */
const FLOODS: Record<string, string> = {
  "notifications of 13 MB with a million members": `
    const keys = Array.from({ length: 1_100_000 }, (_, i) => '"k' + i + '":1').join(",");
    const flood = () => say('{"jsonrpc":"2.0","method":"notifications/x","params":{' + keys + "}}");`,
  "notifications with as many members as are allowed": `
    const keys = Array.from({ length: 40_000 }, (_, i) => '"k' + i + '":1').join(",");
    const flood = () => say('{"jsonrpc":"2.0","method":"notifications/x","params":{' + keys + "}}");`,
  "notifications with as many strings as are allowed": `
    const strings = Array.from({ length: 99_000 }, (_, i) => '"s' + i + '"').join(",");
    const flood = () => say('{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[' + strings + "]}}");`,
  "requests of 8 MB with as many long keys as are allowed": `
    const keys = Array.from({ length: 40_000 }, (_, i) => '"' + "k".repeat(150) + i + '":1').join(",");
    const flood = () => say('{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"_meta":{"progressToken":1},' + keys + "}}");`,
  "answers of 16 MB that are not plain": `
    const text = String.raw\`\\n\`.repeat(7_900_000);
    const flood = () => say('{"id":999,"result":{"text":"' + text + '"}}');`,
  "log messages of 8 MB": `
    const text = "x".repeat(8 * 1024 ** 2 - 500);
    const flood = () => say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"' + text + '"}}');`,
  "requests of 16 MB": `
    const text = "x".repeat(16 * 1024 ** 2 - 500);
    const flood = () => say('{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"text":"' + text + '"}}');`,
  "pings without end": `
    const pings = Array.from({ length: 2000 }, (_, i) => '{"jsonrpc":"2.0","id":' + i + ',"method":"ping"}').join("\\n");
    const flood = () => say(pings);`,
  "log messages without end": `
    const logs = Array.from({ length: 2000 }, () => '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}').join("\\n");
    const flood = () => say(logs);`,
  "errors of 16 MB with a million keys": `
    const keys = Array.from({ length: 1_100_000 }, (_, i) => '"k' + i + '":1').join(",");
    const flood = () => say('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m",' + keys + "}}");`,
  "list changes without end": `
    const changes = Array.from({ length: 2000 }, () => '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}').join("\\n");
    const flood = () => say(changes);`,
};

/** 5,000 tools of 2.5 KB, new ones every time, announced 20 times a second. */
const STORM = `
  let version = 0;
  const tool = (i) => ({
    name: "tool" + i,
    description: "v" + version + " " + Array.from({ length: 300 }, (_, j) => "w" + (((i + version * 7) * 300 + j) % 400_000).toString(36)).join(" "),
    inputSchema: { type: "object", properties: { ["a" + i]: { type: "string" } } },
  });
  const list = () => {
    version++;
    return { tools: Array.from({ length: 5000 }, (_, i) => tool(i)) };
  };
  setInterval(() => send({ method: "notifications/tools/list_changed" }), 50);
  serve({ ...legacy({ tools: { listChanged: true } }), "tools/list": list });`;

describe.sequential("while a server sends", () => {
  it.each(Object.entries(FLOODS))("%s", async (what, flood) => {
    const bad = scriptServer(
      cleanup,
      `const say = (text) => process.stdout.write(text + "\\n");
       ${flood}
       const go = () => { for (let i = 0; i < 1000 && flood(); i++); setTimeout(go, 5); };
       const later = () => { setTimeout(go, 10); return { content: [] }; };
       serve({ ...legacy({ tools: {}, logging: {} }), "tools/call": later });`,
    );
    const workbench = await startHttpWorkbench(cleanup, dev({ bad }, QUICK_END), {
      args: ["--no-auth"],
    });
    const client = workbench.client();
    await client.initialize("2025-11-25", { sampling: {} });
    await client.ask("tools/call", useToolParams("dev/bad/hello", {}));
    expect(await measureThenKill(what, workbench, () => delay(500))).toSatisfy(isBearable);
  });

  it("a refusal of 15 MB, whenever it is connected", async () => {
    const bad = scriptServer(
      cleanup,
      `const error = { code: -5, message: "word-and, more ".repeat(1_000_000) };
       serve({ initialize: (_, id) => void send({ id, error }) });`,
    );
    const env = { SECRET: "correct-horse-battery-staple" };
    const config = dev({ bad: { ...bad, env } }, QUICK_END);
    const workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    const client = workbench.client();
    await client.initialize();
    const measured = await measureThenKill("refusals of 15 MB", workbench, () =>
      client.ask("tools/call", useToolParams("dev/bad/hello", {})),
    );
    expect(measured).toSatisfy(isBearable);
  });

  it.each(["proxy", "dynamic"] as const)("a new tool list all the time (%s)", async (toolMode) => {
    const storm = scriptServer(cleanup, STORM);
    const config = dev({ storm, fx: fixture() }, { toolMode, ...QUICK_END });
    const workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    const what = `other tools all the time (${toolMode})`;
    const measured = await measureThenKill(what, workbench, async () => {
      await client.ask("tools/call", { name: "search_tools", arguments: { query: "w1a2 tool77" } });
      await delay(300);
    });
    expect(measured).toSatisfy(isBearable);
  });
});
