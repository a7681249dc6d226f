/**
 * Runs the commands of docs/remote.md, as they are written there, against a server that wants a token.
 * In the full suite because each page test starts several programs; docs.test.ts checks all pages in
 * `npm test`.
 */
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { type CliPlace, type CliRun, cliPlace } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { remoteServers } from "../support/first-minute.ts";
import { PROGRAM } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/remote.md", import.meta.url), "utf8");
const TOKEN = "made-up-token-4711";
const disposables = perTest();

/** A command line in a shell, with the program on the PATH. */
function runLine({ cwd, env }: CliPlace, line: string, input = ""): Promise<CliRun> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...env, TOKEN } };
    const child = execFile("/bin/sh", ["-c", line], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** What the page says for any server, with the address of this one. */
const at = (address: string, text: string): string =>
  text.replaceAll("https://example.com/mcp", address);

it("docs/remote.md: a token in a header, from the first try to the configured server", async () => {
  const place = cliPlace(disposables);
  symlinkSync(PROGRAM, join(place.env["PATH"] ?? "", "mcp-workbench"));
  const address = `${await remoteServers(disposables)}/crm`;
  const [block] = blocksOf(PAGE).filter(({ language }) => language === "sh");
  const [attempt = "", add = "", set = "", list = ""] = (block?.lines ?? []).map((line) =>
    at(address, line),
  );

  expect(await runLine(place, attempt)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("whoami") as string,
  });
  expect(await runLine(place, add)).toMatchObject({ code: 0 });
  expect(await runLine(place, list)).toMatchObject({ code: 4 });
  expect(await runLine(place, set, `${TOKEN}\n`)).toMatchObject({ code: 0 });
  expect(await runLine(place, list)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("whoami") as string,
  });
  const called = await runLine(place, "mcp-workbench call work/tickets/whoami");
  expect(called.stdout.trim()).toBe(TOKEN);
});

it("docs/remote.md: the message about a rejected token", async () => {
  const place = cliPlace(disposables);
  symlinkSync(PROGRAM, join(place.env["PATH"] ?? "", "mcp-workbench"));
  const address = `${await remoteServers(disposables)}/login`;
  const [block] = blocksOf(PAGE).filter(({ language }) => language === "text");
  const message = (block?.lines ?? []).join(" ").replace("example.com", new URL(address).host);
  const header = "--header 'Authorization: Bearer no-longer-valid'";
  await runLine(place, `mcp-workbench add tickets ${address} --toolbox work ${header}`);
  const { code, stderr } = await runLine(place, "mcp-workbench call work/tickets/whoami");
  expect(code).toBe(5);
  expect(stderr).toContain(message);
});
