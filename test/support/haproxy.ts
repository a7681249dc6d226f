/** A real HAProxy that sends each request to the next replica. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { findOrInstall } from "./debian-packages.ts";
import type { Disposables } from "./disposables.ts";
import { exchange } from "./clients/http-exchange.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";
import { temporaryFolder } from "./workbench.ts";

const PROGRAM = findOrInstall("haproxy", "haproxy");
export const HAS_HAPROXY = PROGRAM !== undefined;

const DEPLOYED = new URL("../../deploy/compose/haproxy.cfg", import.meta.url);

/** The configuration in `deploy/`, for these ports, and with quicker checks of replicas. */
function configuration(port: number, ports: readonly number[]): string {
  const servers = ports.map((each, i) => `server r${i} 127.0.0.1:${each}`);
  return (
    readFileSync(DEPLOYED, "utf8")
      .replace("bind :8080", `bind 127.0.0.1:${port}`)
      .replace("inter 2s fastinter 500ms fall 2", "inter 200ms fall 1")
      // A busy machine answers late; a connection that is refused is noticed at once.
      .replace("option httpchk", "option httpchk\n    timeout check 60s")
      .replace(/server workbench-1 [^]*/, `${servers.join("\n    ")}\n`)
  );
}

/** Starts it on this port, in front of replicas on the others. Without a name, clients use the address. */
export async function startHaproxy(
  disposables: Disposables,
  port: number,
  ports: readonly number[],
  host = `127.0.0.1:${port}`,
): Promise<void> {
  const file = join(temporaryFolder(disposables), "haproxy.cfg");
  writeFileSync(file, configuration(port, ports));
  const program = PROGRAM ?? "haproxy";
  const env = { ...process.env, WORKBENCH_HOST: host };
  const checked = spawnSync(program, ["-c", "-f", file], { encoding: "utf8", env });
  if (checked.status !== 0) throw new Error(checked.stderr);
  const child = spawn(program, ["-db", "-f", file], { stdio: "ignore", env });
  disposables.defer(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with the code ${child.exitCode}`);
    const answer = await exchange(`http://127.0.0.1:${port}/healthz`, {
      method: "GET",
      headers: { host },
    }).catch(() => undefined);
    return answer?.status === 200;
  };
  await waitFor(isReady, GENEROUS_MS, "HAProxy to find a replica");
}
