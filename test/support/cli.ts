/** Runs the built program as a person or a script would, in a home folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import type { Disposables } from "./disposables.ts";
import { waitFor } from "./proc.ts";
import { Transcript } from "./transcript.ts";
import { PROGRAM, temporaryFolder } from "./workbench.ts";

const SCRIPT = "/usr/bin/script";
const STTY = "/usr/bin/stty";
/** Pseudo-terminals come from util-linux; the program of this name on other systems differs. */
export const HAS_TERMINAL =
  process.platform === "linux" && [SCRIPT, STTY].every((path) => existsSync(path));
/**
 * A run that hangs is killed after this time; on a busy machine a healthy one may take many
 * seconds.
 */
const PATIENCE_MS = 120_000;

/** Where a run happens: its home folder, its working folder and its environment. */
export interface CliPlace {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A place with an empty home folder, or the given one, and nothing but node and a shell on the PATH. */
export function cliPlace(
  disposables: Disposables,
  options: { readonly home?: string; readonly env?: Readonly<Record<string, string>> } = {},
): CliPlace {
  const folder = temporaryFolder(disposables);
  const home = options.home ?? join(folder, "home");
  const bin = join(folder, "bin");
  for (const path of [home, bin]) mkdirSync(path, { recursive: true });
  symlinkSync(process.execPath, join(bin, "node"));
  const env = { HOME: home, PATH: bin, TERM: "xterm", ...options.env };
  const place = { home, cwd: home, env };
  // What a client starts as it was installed outlives the client.
  disposables.defer(async () => {
    if (!existsSync(join(home, ".local/state/mcp-workbench/shared"))) return;
    const { code, stderr } = await runCli(place, ["stop", "--all"]);
    if (code !== 0) throw new Error(`stop failed: ${stderr}`);
  });
  return place;
}

/** The path of the user's own configuration, which is used in every folder; creates its folder. */
export function ownConfig({ home }: CliPlace): string {
  const folder = join(home, ".config/mcp-workbench");
  mkdirSync(folder, { recursive: true });
  return join(folder, "workbench-config.json");
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called once it runs. */
  readonly running?: (child: ChildProcess) => void;
  /** The width of the terminal. */
  readonly columns?: number;
}

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program without a terminal. */
export async function runCli(
  place: CliPlace,
  args: readonly string[],
  { input = "", cwd = place.cwd, env = {}, running }: RunOptions = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...place.env, ...env },
    stdio: "pipe",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const collected = { stdout: "", stderr: "" };
  const transcript = new Transcript(titleOf(args), () => collected.stderr);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    collected.stdout += text;
    transcript.received(text);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (collected.stderr += text));
  child.stdin.on("error", () => {});
  if (input !== "") transcript.sent(input);
  child.stdin.end(input);
  running?.(child);
  const code = await ending(child, transcript);
  return { code, ...collected };
}

const titleOf = (args: readonly string[]): string => `mcp-workbench ${args.join(" ")}`;

/** The exit code, once all output of the program has been read. */
async function ending(child: ChildProcess, transcript: Transcript): Promise<number | null> {
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.on("close", (...exit) => done(exit)),
  );
  transcript.note(`exit code ${code}, signal ${signal}`);
  transcript.close();
  return code;
}

/** The document that a run with `--json` printed. */
export async function runJson(
  place: CliPlace,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Readonly<Record<string, unknown>> & { readonly exit: number | null }> {
  // Behind the command, because what follows `--` is not for us.
  const [command = "", ...rest] = args;
  const { code, stdout, stderr } = await runCli(place, [command, "--json", ...rest], options);
  try {
    return { ...(JSON.parse(stdout) as Record<string, unknown>), exit: code };
  } catch {
    throw new Error(`not one JSON document: ${stdout}\n--- stderr ---\n${stderr}`);
  }
}

/** What the user at the terminal does: waits for a text, then types, maybe after another action. */
export type Turn = readonly [waitFor: string | RegExp, type: string | (() => string)];

export interface TerminalRun {
  readonly code: number | null;
  /** Everything that was shown, without colours. */
  readonly screen: string;
  /** The same with every control sequence. */
  readonly raw: string;
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** Runs the program in a pseudo-terminal. */
export function runTerminal(
  place: CliPlace,
  args: readonly string[],
  turns: readonly Turn[] = [],
  options: RunOptions = {},
): Promise<TerminalRun> {
  return runInTerminal(place, [process.execPath, PROGRAM, ...args], turns, options);
}

/** Runs any command in a pseudo-terminal. */
export async function runInTerminal(
  place: CliPlace,
  command: readonly string[],
  turns: readonly Turn[],
  { cwd = place.cwd, env = {}, columns }: RunOptions = {},
): Promise<TerminalRun> {
  const quoted = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  const resize = columns === undefined ? "" : `${STTY} columns ${columns}; `;
  const child = spawn(SCRIPT, ["-qec", `${resize}exec ${quoted.join(" ")}`, "/dev/null"], {
    cwd,
    env: { ...place.env, SHELL: "/bin/sh", ...env },
    stdio: "pipe",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  let raw = "";
  let isOver = false;
  const transcript = new Transcript(`in a terminal: ${command.join(" ")}`, () => raw);
  child.stdout.setEncoding("utf8").on("data", (text: string) => (raw += text));
  child.stdin.on("error", () => {});
  const closed = ending(child, transcript);
  void closed.then(() => (isOver = true));
  let seen = 0;
  for (const [expected, typed] of turns) {
    const found = (): number => {
      const rest = stripVTControlCharacters(raw).slice(seen);
      const at = typeof expected === "string" ? rest.indexOf(expected) : rest.search(expected);
      return at === -1 ? 0 : seen + at + 1;
    };
    const what = `${String(expected)} on the screen`;
    const at = await waitFor(() => found() || (isOver ? -1 : 0), PATIENCE_MS, what);
    if (at === -1) throw new Error(`the program ended before ${what}:\n${raw}`);
    seen = at;
    const text = typeof typed === "string" ? typed : typed();
    transcript.sent(text);
    child.stdin.write(text);
  }
  const code = await closed;
  return { code, raw, screen: stripVTControlCharacters(raw).replaceAll("\r\n", "\n") };
}

// oxlint-disable-next-line no-control-regex -- the control sequences that the program uses
const SEQUENCE = /\r|\n|\u001b\[[\d;]*[A-Za-z]|[^\r\n\u001b]+/g;

/**
 * The lines that remain on the screen: a line that was overwritten, as progress is, shows only what
 * was written last.
 */
export function shownLines({ raw }: TerminalRun): string[] {
  const lines: string[] = [];
  let line = "";
  let column = 0;
  for (const [part] of raw.matchAll(SEQUENCE)) {
    if (part === "\n") {
      lines.push(line);
      line = "";
      column = 0;
    } else if (part === "\r") column = 0;
    else if (part === "\u001b[K") line = line.slice(0, column);
    else if (!part.startsWith("\u001b")) {
      line = line.slice(0, column).padEnd(column) + part + line.slice(column + part.length);
      column += part.length;
    }
  }
  return [...lines, line];
}
