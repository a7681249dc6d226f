/**
 * Runs the commands of docs/sign-in.md, as they are written there, with a real authorization server.
 * In the full suite because each page test starts several programs; docs.test.ts checks all pages in
 * `npm test`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { LOGIN_REDIRECT_URIS } from "../../src/sign-in/login-ports.ts";
import { type CliPlace, cliPlace } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { startAuthorizationServer } from "../support/oauth/authorization-server.ts";
import { Browser } from "../support/oauth/browser.ts";
import { startProtectedServer } from "../support/oauth/protected-server.ts";
import { PROGRAM } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/sign-in.md", import.meta.url), "utf8");
const disposables = perTest();

interface LineRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line in a shell; a browser opens the address that it prints. */
function runLine({ cwd, env }: CliPlace, line: string): Promise<LineRun> {
  const child: ChildProcess = spawn("/bin/sh", ["-c", line], { cwd, env });
  const run = { stdout: "", stderr: "" };
  let hasOpened = false;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (run.stderr += text));
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    run.stdout += text;
    const [, address] = /^(http\S*\/auth\S*)\n/m.exec(run.stdout) ?? [];
    if (address === undefined || hasOpened) return;
    hasOpened = true;
    void new Browser({ user: "grace" }).open(address);
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...run })));
}

it("docs/sign-in.md: from a new server to a login, a call and a logout", async () => {
  const place = cliPlace(disposables);
  symlinkSync(PROGRAM, join(place.env["PATH"] ?? "", "mcp-workbench"));
  const authorization = await startAuthorizationServer(disposables);
  const options = { authorization, challengeScope: "mcp:read" };
  const { url } = await startProtectedServer(disposables, options);
  const blocks = blocksOf(PAGE).filter(({ language }) => language === "sh");
  const [first] = blocks;
  const imports = blocks.flatMap(({ lines }) => lines).find((line) => line.includes("--import"));
  const at = (line: string): string => line.replaceAll("https://example.com/mcp", url);
  const [add = "", login = "", list = "", auth = "", logout = ""] = (first?.lines ?? []).map(at);

  expect(await runLine(place, add)).toMatchObject({ code: 0 });
  const before = await runLine(place, list);
  expect(before.code).toBe(5);
  expect(before.stderr).toContain("mcp-workbench login work/tickets");
  const signedIn = await runLine(place, login);
  expect(signedIn).toMatchObject({ code: 0 });
  expect(signedIn.stderr).toContain("Signed in to work/tickets");
  expect(await runLine(place, list)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("whoami") as string,
  });
  expect((await runLine(place, auth)).stdout).toMatch(/work\/tickets +default +signed in/);
  expect(await runLine(place, logout)).toMatchObject({ code: 0 });
  expect((await runLine(place, auth)).stdout).toContain("not signed in");

  const { accessToken } = authorization.record.last;
  writeFileSync(join(place.cwd, "tokens.json"), JSON.stringify({ access_token: accessToken }));
  expect(await runLine(place, imports ?? "")).toMatchObject({ code: 0 });
  expect((await runLine(place, auth)).stdout).toMatch(/work\/tickets +default +signed in/);
});

it("docs/sign-in.md: the client metadata document names the addresses that are used", () => {
  const documents = blocksOf(PAGE)
    .filter(({ language }) => language === "json")
    .map(({ lines }) => JSON.parse(lines.join("\n")) as Record<string, unknown>);
  const document = documents.find((one) => "redirect_uris" in one);
  expect(document?.["redirect_uris"]).toEqual(LOGIN_REDIRECT_URIS);
});
