import { readFileSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { EXIT } from "../../errors.ts";
import { parseJson } from "../../text/json.ts";
import { isProcessRunning } from "../../files/is-running.ts";
import { type Presence, presenceFolder } from "../../workbench/presence.ts";
import type { ServerStatus, WorkbenchStatus } from "../../workbench/status.ts";
import type { Context } from "../core/command.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";

const ANSWER_MS = 2000;
/** Lines of a failed server's standard error to show. */
const STDERR_LINES = 5;

/** `mcp-workbench status`: all running workbenches of this user, including those that clients started. */
export async function status({ out }: Context): Promise<number> {
  const found = await Promise.all(
    presences().map(async (presence) => ({ ...presence, status: await ask(presence) })),
  );
  const running = found.map(({ status }) => status).filter((status) => status !== undefined);
  running.sort((a, b) => a.pid - b.pid);
  const silent = found.filter(({ status, pid }) => status === undefined && isProcessRunning(pid));
  for (const { pid } of silent)
    out.warn(`The workbench with pid ${pid} does not respond; it may be suspended or very busy`);
  out.document(running);
  if (running.length > 0) out.print(running.map(render).join("\n"));
  else if (silent.length === 0) out.print(NOTHING);
  return EXIT.ok;
}

const NOTHING =
  "No workbench is running. Clients start one, or you do: mcp-workbench serve --http 7333";

function presences(): Presence[] {
  const folder = presenceFolder();
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), "utf8")) as Presence];
    } catch {
      return [];
    }
  });
}

/** Asks one workbench for its status; undefined if it does not answer. Removes the files of one that is gone. */
function ask(presence: Presence): Promise<WorkbenchStatus | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(presence.socket);
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => resolve(readStatus(Buffer.concat(chunks).toString("utf8"))));
    socket.on("error", () => {
      if (!isProcessRunning(presence.pid)) {
        rmSync(join(presenceFolder(), `${presence.pid}.json`), { force: true });
        if (process.platform !== "win32") rmSync(presence.socket, { force: true });
      }
      resolve(undefined);
    });
  });
}

/** A workbench that is shutting down, or out of file descriptors, closes the connection without an answer. */
function readStatus(text: string): WorkbenchStatus | undefined {
  return parseJson(text) as WorkbenchStatus | undefined;
}

function render(running: WorkbenchStatus): string {
  const up = Math.round(running.uptimeMs / 1000);
  const lines = [
    `workbench ${running.version}, pid ${running.pid}, up ${up} s, ${running.sessions} client${running.sessions === 1 ? "" : "s"}, ${safeLine(running.config ?? "no file")}`,
  ];
  if (running.configProblem !== null)
    lines.push(`  the file has changed but cannot be used: ${safeText(running.configProblem)}`);
  for (const toolbox of running.toolboxes) {
    lines.push(`  ${toolbox.name}`);
    for (const server of toolbox.servers) lines.push(...renderServer(server));
  }
  return lines.join("\n");
}

function renderServer(server: ServerStatus): string[] {
  const facts = [
    server.state.padEnd(10),
    server.pid === null ? "" : `pid ${server.pid}`,
    server.tools === null ? "" : `${server.tools} tools`,
    `${server.calls} calls`,
    server.errors === 0 ? "" : `${server.errors} errors`,
    server.latency === null ? "" : `p50 ${server.latency.p50} ms, p99 ${server.latency.p99} ms`,
    server.restarts === 0 ? "" : `${server.restarts} restarts`,
  ].filter((fact) => fact !== "");
  const lines = [`    ${server.name.padEnd(20)} ${facts.join(", ")}`];
  if (server.lastError !== null) {
    lines.push(`      last error: ${safeLine(server.lastError)}`);
    const output = server.stderrTail.slice(-STDERR_LINES);
    for (const line of output) lines.push(`      | ${safeLine(line)}`);
  }
  for (const problem of server.problems) lines.push(`      ${safeLine(problem)}`);
  return lines;
}
