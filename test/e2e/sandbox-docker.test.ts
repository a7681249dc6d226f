/**
 * Servers in Docker containers. A script replaces `docker`: it runs the server as a process and
 * records its command lines, so this shows what Docker is asked to do, not that Docker does it.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { toolbox } from "../support/servers.ts";
import { prepareWorkbench, startIn } from "../support/workbench.ts";

const SERVER = fileURLToPath(new URL("../fixtures/escaping-server.mjs", import.meta.url));
const cleanup = perTest();

/** Records its arguments and DOCKER_HOST; `run` starts what follows the image. */
const DOCKER = (log: string): string => `#!/bin/sh
echo "$DOCKER_HOST|$*" >> '${log}'
[ "$1" = run ] || exit 0
while [ "$1" != example/image ]; do shift; done
shift
exec "$@"
`;

// The script that replaces `docker` is one for a POSIX shell.
describe.skipIf(process.platform === "win32")("a server in a Docker container", () => {
  it("is removed by its name when the workbench stops, and also when it is killed", async () => {
    const place = prepareWorkbench(cleanup, { toolboxes: {} });
    const bin = join(place.dir, "bin");
    const log = join(place.dir, "docker.log");
    mkdirSync(bin);
    writeFileSync(join(bin, "docker"), DOCKER(log), { mode: 0o755 });
    const server = {
      command: process.execPath,
      args: [SERVER],
      env: { DOCKER_HOST: "unix:///run/other.sock" },
      sandbox: { kind: "docker", image: "example/image", read: [dirname(SERVER)] },
    };
    const other = { ...server, env: {} };
    place.writeConfig({ toolboxes: { dev: toolbox({ one: server, two: other } as never) } });
    const env = { ...place.env, PATH: `${bin}${delimiter}${place.env["PATH"]}` };
    const commands = (word: string): string[] =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.includes(`|${word} `));
    const nameOf = (line: string): string => /--name (\S+)/.exec(line)?.[1] ?? "none";
    const call = { attempts: [["folder"]] };

    const { client } = await startIn(cleanup, { ...place, env });
    for (const name of ["one", "two"])
      expect(textOf(await useTool(client, `dev/${name}/attempt`, call))).toContain("/");
    const started = commands("run");
    expect(started).toHaveLength(2);
    for (const line of started) {
      expect(line).toContain("|run -i --rm --init --name mcp-workbench-");
      expect(line).toContain("--network none --read-only");
      expect(line).toContain("--cap-drop ALL --security-opt no-new-privileges");
    }
    expect(new Set(started.map(nameOf)).size).toBe(2);
    expect(commands("rm")).toEqual([]);
    client.kill("SIGKILL");
    await client.exited;
    await waitFor(() => commands("rm").length === 2, GENEROUS_MS, "the containers to be removed");
    const hostAndName = (line: string): string =>
      `${line.split("|")[0]}|rm --force ${nameOf(line)}`;
    expect(commands("rm").toSorted()).toEqual(started.map(hostAndName).toSorted());

    const again = await startIn(cleanup, { ...place, env });
    await useTool(again.client, "dev/one/attempt", call);
    await again.stop();
    await waitFor(() => commands("rm").length === 3, GENEROUS_MS, "the container to be removed");
    expect(commands("rm").at(-1)).toBe(hostAndName(commands("run").at(-1) ?? ""));
  });
});
