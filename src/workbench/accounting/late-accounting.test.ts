import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { CallClient } from "../../calls/call.ts";
import { ClientCall } from "../../calls/call.ts";
import { LOCAL_PRINCIPAL, type Principal, STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { textResult } from "../../calls/outcome.ts";
import { NO_LOG } from "../../log.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { LateAccounting } from "./late-accounting.ts";
import { ledgerFile, readLedger } from "./ledger.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-workbench-accounting-"));
  vi.stubEnv("XDG_STATE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function newAccounting(): { accounting: LateAccounting; warnings: string[] } {
  const warnings: string[] = [];
  const log = { ...NO_LOG, warn: (message: string) => void warnings.push(message) };
  const workbench = { host: { log }, settings: {}, toolboxes: new Map(), catalogues: {} };
  return { accounting: new LateAccounting(workbench as never), warnings };
}

/** A script without calls, which is a loss. */
function runScript(accounting: LateAccounting, principal: Principal = STDIO_PRINCIPAL): void {
  const profile = { client: { capabilities: {}, info: { name: "agent" } } };
  const client = { era: "legacy", principal, profile } as unknown as CallClient;
  const params = { name: "run_script", arguments: { script: "return 1" } };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const request = { method: "tools/call", params, text, idText: "1" };
  const call = new ClientCall(client, request as unknown as IncomingRequest);
  accounting.onSettled(call, textResult("1"));
}

describe("counting the tokens of calls", () => {
  it("writes what was counted when the workbench ends", async () => {
    const { accounting, warnings } = newAccounting();
    runScript(accounting);
    await accounting.close();
    expect(readLedger().entries).toMatchObject([{ kind: "client", client: "agent" }]);
    expect(warnings).toEqual([]);
  });

  it("leaves out the command line and the library", async () => {
    const { accounting } = newAccounting();
    runScript(accounting, LOCAL_PRINCIPAL);
    await accounting.close();
    expect(readLedger().entries).toEqual([]);
  });

  it("warns of a damaged ledger, and names the file that it is kept in", async () => {
    mkdirSync(dirname(ledgerFile()), { recursive: true, mode: 0o700 });
    writeFileSync(ledgerFile(), "{", { mode: 0o600 });
    const { accounting, warnings } = newAccounting();
    runScript(accounting);
    await accounting.close();
    const { damagedFile = "", entries } = readLedger();
    expect(entries).toHaveLength(1);
    expect(readFileSync(damagedFile, "utf8")).toBe("{");
    expect(warnings).toEqual([expect.stringContaining(damagedFile)]);
  });

  it("adds later what could not be written, and warns once", async () => {
    mkdirSync(ledgerFile(), { recursive: true, mode: 0o700 });
    const { accounting, warnings } = newAccounting();
    runScript(accounting);
    await accounting.close();
    await accounting.close();
    expect(warnings).toEqual([expect.stringContaining("not a regular file")]);
    rmSync(ledgerFile(), { recursive: true });
    await accounting.close();
    expect(readLedger().entries).toHaveLength(1);
  });
});
