/**
 * Whatever one peer sends, once or all the time, others wait less than 250 ms. The others are a
 * client that checks the health every few milliseconds, from a separate process. Time in which the
 * program only waited for a processor does not count.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { type HttpClient, useTool } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { rss } from "../support/proc.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev, fixture } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const MAX_MS = 250;
const MAX_GROWTH = 500 * 1024 ** 2;
const MEASURED_MS = 5000;
const BODY = 8 * 1024 ** 2 - 500;

const cleanup = perTest();

/**
 * Checks the health of the program, and records the time of each answer without processor waits.
 */
const PROBE = `
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
const [, , port, pid] = process.argv;
const agent = new Agent({ keepAlive: true });
const waited = () => Number(readFileSync("/proc/" + pid + "/schedstat", "utf8").split(" ")[1]) / 1e6;
const took = [];
let open = 0;
let stopping = false;
const report = () => stopping && open === 0 && process.send(took);
const ask = () => {
  const [began, before] = [performance.now(), waited()];
  open++;
  get({ port, host: "127.0.0.1", path: "/healthz", agent }, (answer) => {
    answer.resume().on("end", () => {
      open--;
      took.push(performance.now() - began - (waited() - before));
      report();
    });
  });
};
// Without waiting for earlier answers, so that a stall is measured in full.
const asking = setInterval(ask, 20);
process.on("message", () => {
  clearInterval(asking);
  stopping = true;
  report();
});
`;

interface Probe {
  /** How long the slowest of a hundred answers took. */
  p99(): Promise<number>;
}

function probe({ port, pid }: HttpWorkbench): Probe {
  const file = join(temporaryFolder(cleanup), "probe.mjs");
  writeFileSync(file, PROBE);
  const child = fork(file, [String(port), String(pid)]);
  cleanup.defer(() => void child.kill());
  return {
    p99: async () => {
      child.send("report");
      const [took] = (await once(child, "message")) as [number[]];
      took.sort((a, b) => a - b);
      return took[Math.max(0, Math.ceil(took.length * 0.99) - 1)] ?? Infinity;
    },
  };
}

interface Measured {
  /** In milliseconds. */
  readonly p99: number;
  /** Of the memory, in bytes. */
  readonly growth: number;
}

/** Lets the attack run, again and again if it ends, while others are measured. */
async function measure(
  what: string,
  workbench: HttpWorkbench,
  attack: () => Promise<unknown>,
): Promise<Measured> {
  const before = rss(workbench.pid);
  const others = probe(workbench);
  const end = performance.now() + MEASURED_MS;
  while (performance.now() < end) {
    await attack();
    await delay(10);
  }
  const p99 = await others.p99();
  const growth = rss(workbench.pid) - before;
  console.log(`${what}: others waited ${p99.toFixed(0)} ms at p99, ${growth >> 20} MB more`);
  return { p99, growth };
}

const isBearable = ({ p99, growth }: Measured): boolean => p99 < MAX_MS && growth < MAX_GROWTH;

const keys = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"k${i}":1`).join(",");
const strings = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"s${i}"`).join(",");
const call = (params: string): string =>
  `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}`;
const use = (args: string, more = ""): string =>
  call(
    `{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"echo"},"arguments":${args}}${more}}`,
  );

const BODIES: Record<string, () => string> = {
  "560,000 arguments": () => use(`{${keys(560_000)}}`),
  "as many arguments as are allowed": () => use(`{${keys(40_000)}}`),
  "as many parameters as are allowed": () => use("{}", `,${keys(40_000)}`),
  "as many wrong arguments as are allowed": () =>
    call(`{"name":"open_toolbox","arguments":{${keys(40_000)}}}`),
  "as many strings as are allowed": () => use(`{"x":[${strings(99_000)}]}`),
  "as many elements as are allowed": () => use(`{"x":[${"1,".repeat(400_000)}1]}`),
  "8 MB of text": () => use(`{"text":"${"x".repeat(BODY)}"}`),
  "8 MB of escapes": () => use(`{"text":"${String.raw`\"`.repeat(BODY / 2)}"}`),
  "8 MB of slashes": () =>
    `{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"workbench://dev/fx/${"/".repeat(BODY)}"}}`,
  "a query of 8 MB": () =>
    call(`{"name":"search_tools","arguments":{"query":"${"foo bar ".repeat(BODY / 8)}"}}`),
  "an id of 8 MB": () => `{"jsonrpc":"2.0","id":"${"x".repeat(BODY)}","method":"ping"}`,
  "a method of 8 MB": () => `{"jsonrpc":"2.0","id":7,"method":"${"x".repeat(BODY)}"}`,
  "a name of 8 MB": () => call(`{"name":"${"_".repeat(BODY)}"}`),
};

describe.sequential("while a client sends", () => {
  async function start(): Promise<{ workbench: HttpWorkbench; client: HttpClient }> {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }), {
      args: ["--no-auth"],
    });
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useTool("dev/fx/echo", { text: "x" }));
    return { workbench, client };
  }

  it.each(Object.entries(BODIES))("%s, one after the other", async (what, bodyOf) => {
    const { workbench, client } = await start();
    const body = bodyOf();
    expect(await measure(what, workbench, () => client.post(body).done())).toSatisfy(isBearable);
  });

  it("thousands of requests on one connection", async () => {
    const { workbench } = await start();
    const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${workbench.port}\r\n\r\n`;
    const requests = request.repeat(5000);
    const measured = await measure("requests on one connection", workbench, async () => {
      const socket = connect(workbench.port, "127.0.0.1");
      // The connection is reset; that is an error only for the client that floods it.
      socket.on("error", () => {}).resume();
      socket.write(requests);
      await new Promise((resolve) => socket.once("close", resolve));
    });
    expect(measured).toSatisfy(isBearable);
  });

  it("ten of them at once", async () => {
    const { workbench, client } = await start();
    const bodies = Array.from({ length: 10 }, (_, i) =>
      use(`{${keys(40_000)}}`).replace('"id":5', `"id":${i + 10}`),
    );
    const measured = await measure("ten bodies at once", workbench, () =>
      Promise.all(bodies.map((body) => client.post(body).done())),
    );
    expect(measured).toSatisfy(isBearable);
  });
});

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
    const workbench = await startHttpWorkbench(cleanup, dev({ bad }), { args: ["--no-auth"] });
    const client = workbench.client();
    await client.initialize("2025-11-25", { sampling: {} });
    await client.ask("tools/call", useTool("dev/bad/hello", {}));
    expect(await measure(what, workbench, () => delay(500))).toSatisfy(isBearable);
  });

  it("a refusal of 15 MB, whenever it is connected", async () => {
    const bad = scriptServer(
      cleanup,
      `const error = { code: -5, message: "word-and, more ".repeat(1_000_000) };
       serve({ initialize: (_, id) => void send({ id, error }) });`,
    );
    const env = { SECRET: "correct-horse-battery-staple" };
    const config = dev({ bad: { ...bad, env } });
    const workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    const client = workbench.client();
    await client.initialize();
    const measured = await measure("refusals of 15 MB", workbench, () =>
      client.ask("tools/call", useTool("dev/bad/hello", {})),
    );
    expect(measured).toSatisfy(isBearable);
  });

  it.each(["proxy", "dynamic"] as const)("a new tool list all the time (%s)", async (toolMode) => {
    const storm = scriptServer(cleanup, STORM);
    const config = dev({ storm, fx: fixture() }, { toolMode });
    const workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    const what = `other tools all the time (${toolMode})`;
    const measured = await measure(what, workbench, async () => {
      await client.ask("tools/call", { name: "search_tools", arguments: { query: "w1a2 tool77" } });
      await delay(300);
    });
    expect(measured).toSatisfy(isBearable);
  });
});
