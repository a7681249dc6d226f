import { type Answer, INITIALIZE } from "../harness/connection.ts";
import { sleep, within } from "../harness/deadline.ts";
import { type Measure, Rows } from "../harness/measure.ts";
import { memoryMB } from "../harness/proc.ts";
import { type Command, Program } from "../harness/program.ts";
import { type Effort, interleave } from "../harness/rounds.ts";
import { StdioClient } from "../harness/stdio-client.ts";
import { workbench } from "../harness/subjects.ts";
import { type Workspace, program } from "../harness/workspace.ts";

const START_MS = 20_000;
/** Enough time for all work that is deferred until after the answers. */
const SETTLE_MS = 500;
const IDLE_ROUNDS = 3;

/** What is started, and what is requested after `initialize`. */
interface Started {
  readonly command: Command;
  readonly steps: readonly Step[];
}

type Step = readonly [measure: "list" | "first" | undefined, method: string, params: unknown];

const LIST: Step = ["list", "tools/list", {}];
const ARGUMENTS = { text: "first" };
const OPEN = { name: "open_toolbox", arguments: { toolbox: "main" } };
const USE_TOOL = {
  name: "use_tool",
  arguments: { tool: { toolbox: "main", server: "s0", name: "echo" }, arguments: ARGUMENTS },
};
const call = (name: string): Step => ["first", "tools/call", { name, arguments: ARGUMENTS }];

/** A program that prints one line and then waits: the start-up time of Node itself. */
const BARE: Started = {
  command: {
    args: ["-e", "process.stdout.write('{\"id\":1}\\n'); setInterval(() => {}, 1e6)"],
  },
  steps: [],
};

function subjects(workspace: Workspace, sizes: readonly number[]): Record<string, Started> {
  const { args, env } = workbench(workspace, {});
  const transparent = { args: [...args, "--server", "main/s0"], env };
  const started: Record<string, Started> = {
    bare: BARE,
    direct: { command: { args: [program("fixture.mjs")] }, steps: [LIST, call("echo")] },
    pipe: { command: { args: [program("pipe.mjs")] }, steps: [LIST, call("echo")] },
    relay: { command: { args: [program("relay.mjs")] }, steps: [LIST, call("s0__echo")] },
    transparent: { command: transparent, steps: [LIST, call("echo")] },
    dynamic: {
      command: workbench(workspace, {}, "dynamic"),
      steps: [LIST, [undefined, "tools/call", OPEN], call("main__s0__echo")],
    },
  };
  for (const configured of sizes)
    started[`proxy-${configured}`] = {
      command: workbench(workspace, { configured }),
      steps: [LIST, ["first", "tools/call", USE_TOOL]],
    };
  return started;
}

/** From the start of a process to the answers a client waits for, and its idle memory. */
export async function measureStart(
  workspace: Workspace,
  effort: Effort,
  sizes: readonly number[],
): Promise<Measure[]> {
  const started = subjects(workspace, sizes);
  return [...(await startTimes(started, effort)), await idleMemory(started, effort)];
}

/** Only to the first answer, and only of the workbench and of Node itself. */
export async function measureGreeting(workspace: Workspace, effort: Effort): Promise<Measure> {
  const command = workbench(workspace, {});
  const started = { bare: BARE, proxy: { command, steps: [] } };
  const [initialize] = await startTimes(started, effort);
  return initialize;
}

async function startTimes(
  started: Readonly<Record<string, Started>>,
  { rounds }: Effort,
): Promise<[Measure, Measure, Measure]> {
  const times = { initialize: new Rows(), list: new Rows(), first: new Rows() };
  await interleave(rounds, Object.entries(started), async ([name, { command, steps }]) => {
    const begun = performance.now();
    await withProgram(command, async (ask) => {
      await ask("initialize", INITIALIZE);
      times.initialize.add(name, performance.now() - begun);
      for (const [measure, method, params] of steps) {
        const { head } = await ask(method, params);
        if (measure === "first" && !head.includes(ARGUMENTS.text)) throw new Error(head);
        if (measure !== undefined) times[measure].add(name, performance.now() - begun);
      }
    });
  });

  return [
    times.initialize.measure("start/initialize", "ms"),
    times.list.measure("start/list", "ms"),
    times.first.measure("start/first-result", "ms"),
  ];
}

async function idleMemory(
  started: Readonly<Record<string, Started>>,
  { rounds }: Effort,
): Promise<Measure> {
  const idle = new Rows();
  const idleRounds = Math.min(rounds, IDLE_ROUNDS);
  await interleave(idleRounds, Object.entries(started), async ([name, { command, steps }]) => {
    await withProgram(command, async (ask, { pid }) => {
      await ask("initialize", INITIALIZE);
      if (steps.includes(LIST)) await ask("tools/list", {});
      await sleep(SETTLE_MS);
      const memory = memoryMB(pid);
      if (memory !== undefined) idle.add(name, memory);
    });
  });
  return idle.measure("memory/idle", "MB");
}

async function withProgram(
  command: Command,
  work: (
    ask: (method: string, params: unknown) => Promise<Answer>,
    running: Program,
  ) => Promise<void>,
): Promise<void> {
  const running = new Program(command);
  try {
    const client = new StdioClient(running);
    await work(async (method, params) => {
      const answer = await within(START_MS, method, client.request(method, params));
      if (method === "initialize") client.notify("notifications/initialized");
      return answer;
    }, running);
  } finally {
    await running.end();
  }
}
