/** Starts the program under test together with a bystander, and records the run. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { auditRows } from "../support/audit.ts";
import { callTool, openToolbox, type Requests, textOf, useTool } from "../support/calls.ts";
import { Disposables } from "../support/disposables.ts";
import { killIfAlive, waitFor } from "../support/proc.ts";
import { type Config, type Servers, toolbox, withOptions } from "../support/servers.ts";
import { sharedFolder, sharedProcesses } from "../support/shared.ts";
import { SharedLog } from "../support/shared-log.ts";
import { initialize, type Place, prepareWorkbench, PROGRAM } from "../support/workbench.ts";
import { Bystander } from "./bystander.ts";
import { chaos } from "./chaos.ts";
import { type AuditedRequests, HttpClient } from "./http-client.ts";
import { BUSY_MACHINE_MS, type Program, WORKBENCH } from "./program.ts";
import { type Resources, resourcesOf } from "./resources.ts";
import { newSecret } from "./secrets.ts";
import { waitedForProcessor } from "./waited.ts";
import { TimedClient } from "./timed-client.ts";

/** The time-outs of measured scenarios; a server that needs others sets them. */
export const TIMEOUTS = { connectMs: 2000, callMs: 2000, totalMs: 5000, shutdownMs: 1000 };
/** On a busy machine even a server that times out on purpose has to be started and called first. */
const BUSY_TIMEOUTS = { ...TIMEOUTS, connectMs: 5000, callMs: 5000 };
/** However slow the machine is, healthy servers do not time out. */
const PATIENT_TIMEOUTS = {
  connectMs: BUSY_MACHINE_MS,
  callMs: BUSY_MACHINE_MS,
  totalMs: BUSY_MACHINE_MS,
};

export interface RunOptions extends Omit<Config, "toolboxes"> {
  /** Toolboxes besides `dev` and the one of the bystander. */
  readonly toolboxes?: Config["toolboxes"];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Run extends Place {
  /** The process that a client starts; over stdio it is also the conversation. */
  readonly process: TimedClient;
  readonly overStdio: boolean;
  /** What the scenario, the bystander and the invariants talk through. */
  readonly client: Requests;
  /** The process that runs the servers. */
  readonly pid: number;
  readonly config: Config;
  readonly bystander: Bystander;
  /** What the program used before the fault. */
  baseline: Resources;
  /** A secret that every server gets and that must not appear anywhere. */
  readonly secret: string;
  /** Wrong answers, as recorded by clients over HTTP. */
  readonly complaints: readonly string[];
  /** The requests of clients over HTTP that belong in the audit log. */
  readonly audited: AuditedRequests;
}

/** A run that serves over HTTP. */
export interface HttpRun extends Run {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly client: HttpClient;
  /** One more client, with a session of its own. */
  connect(): Promise<HttpClient>;
}

/**
 * Without measurements, a call of the bystander takes this long, so that one is always in flight.
 */
const ECHO_MS = 100;
const MEASURED_WARM_UP = 20;
const TOKEN_VARIABLE = "TORTURE_TOKEN";
const SECRET_VARIABLE = "TORTURE_API_KEY";
const CALM = "calm";

export class Rig {
  readonly program: Program;
  readonly disposables = new Disposables();
  readonly runs: Run[] = [];

  constructor(program: Program) {
    this.program = program;
  }

  get measured(): boolean {
    return this.program.measured;
  }

  /** For servers that have to time out. */
  get timeouts(): typeof TIMEOUTS {
    return this.measured ? TIMEOUTS : BUSY_TIMEOUTS;
  }

  /** Serves the toolbox `dev` with these servers, and a bystander, over stdio. */
  async start(servers: Servers, options: RunOptions = {}): Promise<Run> {
    const { place, config, secret } = this.prepare(servers, options, ["serve", "--config"]);
    const client = this.launch(place);
    await initialize(client);
    const run = { ...place, process: client, client, config, secret };
    const audited = { sent: 0, answered: 0 };
    return this.#ready({ ...run, overStdio: true, complaints: [], audited });
  }

  /** The same over HTTP. */
  async startHttp(servers: Servers, options: RunOptions = {}): Promise<HttpRun> {
    const token = randomUUID();
    const { place, config, secret } = this.prepare(
      servers,
      { ...options, env: { [TOKEN_VARIABLE]: token, ...options.env } },
      ["serve", "--http", "127.0.0.1:0", "--token-env", TOKEN_VARIABLE, "--config"],
    );
    const started = this.launch(place);
    const listening = await started.when(
      () => /listens on (http:\/\/127\.0\.0\.1:(\d+))/.exec(started.stderr),
      "it to listen",
      this.program.startMs,
    );
    const [, url = "", port] = listening;
    const complaints: string[] = [];
    const audited: AuditedRequests = { sent: 0, answered: 0 };
    const { answerMs: patienceMs } = this.program;
    const connect = async (): Promise<HttpClient> => {
      const { transcript } = started;
      const client = new HttpClient({ url, token, patienceMs, complaints, audited, transcript });
      this.disposables.defer(() => client.abandon());
      await client.initialize();
      return client;
    };
    const client = await connect();
    const run = { ...place, process: started, client, config, secret, complaints, audited };
    const ready = await this.#ready({ ...run, overStdio: false });
    return Object.assign(ready, { url, port: Number(port), token, client, connect });
  }

  /** Folders and configuration of a run; the path of the configuration follows the arguments. */
  prepare(
    servers: Servers,
    { toolboxes = {}, env = {}, ...options }: RunOptions,
    args: readonly string[],
  ): { place: Place; config: Config; secret: string } {
    const secret = newSecret();
    const isShared = this.program.shared === true && !args.includes("--http");
    const bystander = withOptions(chaos("--name", "bystander"), { timeouts: PATIENT_TIMEOUTS });
    const config: Config = withSecret({
      timeouts: this.measured ? TIMEOUTS : { ...TIMEOUTS, ...PATIENT_TIMEOUTS },
      audit: { enabled: true },
      ...(isShared && { shared: { idleMs: 1 } }),
      ...options,
      toolboxes: {
        dev: toolbox(servers),
        [CALM]: toolbox({ bystander }),
        ...toolboxes,
      },
    });
    const place = prepareWorkbench(this.disposables, config, {
      env: { [SECRET_VARIABLE]: secret, ...env },
      program: this.program.file,
    });
    const [program = ""] = place.args;
    const [command = "", ...more] = args;
    const given = isShared ? [command, "--shared", ...more] : args;
    // It is no child of its clients.
    if (isShared) {
      const log = new SharedLog(sharedFolder(place));
      this.disposables.defer(() => {
        for (const { pid } of sharedProcesses(place)) killIfAlive(pid);
        log.end();
      });
    }
    return { place: { ...place, args: [program, ...given, place.configFile] }, config, secret };
  }

  launch(place: Place): TimedClient {
    const child = spawn(place.command, place.args, {
      cwd: place.dir,
      env: place.env,
      stdio: "pipe",
    });
    const client = new TimedClient(child, this.program);
    this.disposables.defer(async () => {
      if (!client.hasExited) client.kill("SIGKILL");
      // A server that is left behind may keep the output of the program open.
      for (const { pid } of place.servers()) killIfAlive(pid);
      await client.exited;
    });
    return client;
  }

  /** Warms up, records what the program uses, and starts the bystander. */
  async #ready(run: Omit<Run, "bystander" | "baseline" | "pid">): Promise<Run> {
    const { client } = run;
    const dynamic = run.config.toolMode === "dynamic";
    if (dynamic) await openToolbox(client, CALM);
    const echo = async (text: string): Promise<string> => {
      const args = { text, delayMs: this.measured ? 0 : ECHO_MS };
      return textOf(
        dynamic
          ? await callTool(client, `${CALM}__bystander__echo`, args)
          : await useTool(client, `${CALM}/bystander/echo`, args),
      );
    };
    for (let i = 0; i < (this.measured ? MEASURED_WARM_UP : 1); i++) await echo("warm up");
    const [shared] = this.program.shared === true ? sharedProcesses(run) : [];
    const pid = shared?.pid ?? run.process.pid;
    // Its file is open from then on.
    if (this.program.file === PROGRAM)
      await waitFor(() => auditRows(run).length > 0, BUSY_MACHINE_MS, "the first audit entry");
    const reference = this.measured
      ? { direct: await this.#directEcho(), waited: () => waitedForProcessor(pid) }
      : undefined;
    const bystander = new Bystander(echo, reference);
    const ready = { ...run, pid, bystander, baseline: resourcesOf(pid, run) };
    this.runs.push(ready);
    bystander.start();
    return ready;
  }

  async #directEcho(): Promise<(text: string) => Promise<string>> {
    const { command, args = [] } = chaos("--name", "direct");
    const client = new TimedClient(
      spawn(command, args, { stdio: "pipe", env: { PATH: process.env["PATH"] ?? "" } }),
      WORKBENCH,
    );
    this.disposables.defer(() => client.close());
    await initialize(client);
    return async (text) => textOf(await callTool(client, "echo", { text }));
  }

  /** The longest wait for something that an idle machine does within `ms`. */
  limit(ms: number): number {
    const { measured, isPrompt = measured, patienceMs } = this.program;
    return Math.min(isPrompt ? ms : BUSY_MACHINE_MS, patienceMs);
  }

  /** Waits for something that has to happen. */
  wait<T>(
    condition: () => T | Promise<T>,
    ms: number,
    what: string,
  ): Promise<Exclude<T, undefined | null | false | 0 | "">> {
    return waitFor(condition, this.limit(ms), what);
  }

  /**
   * Waits for what the program has sent so far. If measured, it is also observed for some time, for
   * what it sends later.
   */
  async settle({ client }: Run, ms: number): Promise<void> {
    if (this.measured) await delay(Math.min(ms, this.program.watchMs));
    else await client.request("ping", {});
  }

  async dispose(): Promise<void> {
    for (const run of this.runs) await run.bystander.stop();
    await this.disposables.dispose();
  }
}

/** Every local server gets the secret the way users pass secrets to servers. */
function withSecret(config: Config): Config {
  const toolboxes = Object.entries(config.toolboxes).map(([name, box]) => {
    const servers = Object.entries(box.mcpServers).map(([server, entry]) => {
      const env = { API_KEY: `\${${SECRET_VARIABLE}}`, ...(entry["env"] as object | undefined) };
      return [server, "command" in entry ? { ...entry, env } : entry] as const;
    });
    return [name, { ...box, mcpServers: Object.fromEntries(servers) }] as const;
  });
  return { ...config, toolboxes: Object.fromEntries(toolboxes) as Config["toolboxes"] };
}
