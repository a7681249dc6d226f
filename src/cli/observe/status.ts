import { readFileSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { EXIT } from "../../errors.ts";
import { isRunning } from "../../files/running.ts";
import { type Presence, presenceFolder } from "../../workbench/presence.ts";
import type { ServerStatus, WorkbenchStatus } from "../../workbench/status.ts";
import type { Context } from "../command.ts";
import { safeLine } from "../output/safe-text.ts";

const ANSWER_MS = 2000;

/** `mcp-workbench status`: all running workbenches of this user, whoever started them. */
export async function status({ out }: Context): Promise<number> {
  const found = await Promise.all(presences().map(ask));
  const running = found.filter((answer) => answer !== undefined);
  running.sort((a, b) => a.pid - b.pid);
  out.document(running);
  out.print(running.length === 0 ? NOTHING : running.map(render).join("\n"));
  return EXIT.ok;
}

const NOTHING = "No workbench is running. A client starts one, or: mcp-workbench serve --http 7333";

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

/** The status of one workbench; undefined if it is gone, whose traces are removed then. */
function ask(presence: Presence): Promise<WorkbenchStatus | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(presence.socket);
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () =>
      resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")) as WorkbenchStatus),
    );
    socket.on("error", () => {
      if (!isRunning(presence.pid)) {
        rmSync(join(presenceFolder(), `${presence.pid}.json`), { force: true });
        if (process.platform !== "win32") rmSync(presence.socket, { force: true });
      }
      resolve(undefined);
    });
  });
}

function render(running: WorkbenchStatus): string {
  const up = Math.round(running.uptimeMs / 1000);
  const lines = [
    `workbench ${running.version}, pid ${running.pid}, up ${up} s, ${running.sessions} client${running.sessions === 1 ? "" : "s"}, ${running.config ?? "no file"}`,
  ];
  if (running.configProblem !== null)
    lines.push(`  the file has changed but is not in force: ${running.configProblem}`);
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
  if (server.lastError !== null) lines.push(`      last error: ${safeLine(server.lastError)}`);
  for (const problem of server.problems) lines.push(`      ${safeLine(problem)}`);
  return lines;
}
