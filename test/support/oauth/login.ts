/** `mcp-workbench login`, with the user's browser. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { freePort } from "../free-port.ts";
import { Transcript } from "../transcript.ts";
import { Browser } from "./browser.ts";

/** Where the program is run; a `Place` of the other tests is one. */
export interface LoginPlace {
  readonly dir: string;
  readonly configFile: string;
  readonly command: string;
  /** The program comes first. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One line of `login --json`. */
export interface LoginEvent {
  readonly event: "open" | "device" | "signed-in" | "failed";
  readonly url?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly server?: string;
  readonly account?: string;
  readonly expiresAt?: string | null;
}

export interface LoginOptions {
  /** Further arguments. */
  readonly args?: readonly string[];
  /** What opens the printed address; nothing does if it is null. */
  readonly browser?: Browser | null;
  /** Everything on standard input; it stays open without it. */
  readonly input?: string;
  /** Called for each event; may return a line to paste. */
  readonly onEvent?: (event: LoginEvent) => Promise<string | undefined>;
  /** The user interrupts the program once it has reacted to what was pasted. */
  readonly givesUp?: true;
}

export interface LoginRun {
  readonly code: number | null;
  readonly events: readonly LoginEvent[];
  readonly stdout: string;
  readonly stderr: string;
}

const PATIENCE_MS = 120_000;

/** Runs `login --json` to its end, while the browser does what the user would. */
export async function logIn(
  { command, args: [program = ""], configFile, dir, env }: LoginPlace,
  server: string,
  { args = [], browser, input, onEvent, givesUp }: LoginOptions = {},
): Promise<LoginRun> {
  // The default ports are few, and tests log in at the same time.
  const port = args.includes("--port") ? [] : ["--port", String(await freePort())];
  const options = ["--json", "--no-browser", "--config", configFile, ...port];
  const all = ["login", server, ...options, ...args];
  const child = spawn(command, [program, ...all], {
    cwd: dir,
    env,
    stdio: "pipe",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const events: LoginEvent[] = [];
  const visits: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const visit = (work: Promise<unknown>): void => {
    const stop = (error: unknown): void => {
      failures.push(error);
      child.kill("SIGTERM");
    };
    visits.push(work.catch(stop));
  };
  const run = { stdout: "", stderr: "" };
  const transcript = new Transcript(`mcp-workbench ${all.join(" ")}`, () => run.stderr);
  child.stderr.setEncoding("utf8").on("data", (text: string) => (run.stderr += text));
  child.stdin.on("error", () => {});
  if (input !== undefined) {
    transcript.sent(input);
    child.stdin.end(input);
  }
  createInterface({ input: child.stdout }).on("line", (line) => {
    transcript.received(line);
    run.stdout += `${line}\n`;
    const event = JSON.parse(line) as LoginEvent;
    events.push(event);
    if (browser && event.url !== undefined) visit(browser.open(event.url));
    const pasting = onEvent?.(event).then((text) => {
      if (text === undefined) return;
      transcript.sent(text);
      child.stdin.write(`${text}\n`);
      if (givesUp)
        for (const stream of [child.stdout, child.stderr])
          stream.once("data", () => child.kill("SIGINT"));
    });
    if (pasting !== undefined) visit(pasting);
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  transcript.note(`exit code ${code}, signal ${child.signalCode}`);
  transcript.close();
  await Promise.all(visits);
  if (failures.length > 0) throw failures[0];
  return { code, events, ...run };
}

/** Signs in, and fails with everything that was printed if that fails. */
export async function mustLogIn(
  place: LoginPlace,
  server: string,
  { browser = new Browser(), ...options }: LoginOptions = {},
): Promise<LoginEvent> {
  const { code, events, stdout, stderr } = await logIn(place, server, { browser, ...options });
  const last = events.at(-1);
  if (code !== 0 || last?.event !== "signed-in")
    throw new Error(`login ended with code ${code}:\n${stdout}${stderr}`);
  return last;
}
