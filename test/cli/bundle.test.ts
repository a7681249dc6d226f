/** The bundle for desktop clients: it starts as its manifest says, without other files. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { cliPlace } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { runProgram } from "../support/run-program.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { LATEST_LEGACY, PROGRAM, temporaryFolder } from "../support/workbench.ts";

const disposables = perTest();

interface Manifest {
  readonly server: {
    readonly mcp_config: { readonly command: string; readonly args: readonly string[] };
  };
  readonly tools: readonly { readonly name: string }[];
}

it("the bundle for desktop clients serves a configuration without any package installed", () => {
  const folder = temporaryFolder(disposables);
  const root = dirname(dirname(PROGRAM));
  for (const part of ["manifest.json", "dist"])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;
  const config = join(folder, "mine.json");
  const toolboxes = { dev: toolbox({ files: fixture("--name", "files") }) };
  writeFileSync(config, JSON.stringify({ toolboxes }));

  const { command, args } = manifest.server.mcp_config;
  const filled = args.map((arg) =>
    arg.replaceAll("${__dirname}", folder).replaceAll("${user_config.config}", config),
  );
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: LATEST_LEGACY,
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
  ];
  const place = cliPlace(disposables);
  const { stdout } = runProgram(command, filled, {
    cwd: folder,
    env: place.env,
    input: messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""),
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(answers).toMatchObject([
    { id: 1, result: { serverInfo: { name: "mcp-workbench" } } },
    { id: 2, result: { tools: manifest.tools.map(({ name }) => ({ name })) } },
  ]);

  // Other commands are in separate files.
  const doctor = runProgram(command, [filled[0] ?? "", "doctor", "--json", "--config", config], {
    cwd: folder,
    env: place.env,
  });
  expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: true });
});
