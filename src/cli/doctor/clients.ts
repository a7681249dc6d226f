import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

import { findProgram } from "../../clients/program.ts";
import { type FoundFile, type FoundServer, findServers } from "../../clients/read.ts";
import { clientLabel } from "../../clients/table.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { replacedEntries } from "../setup/replaced-entries.ts";
import type { Findings } from "./check.ts";

const area = "clients";

/** Checks the entries for the workbench in the clients on this machine. */
export async function checkClients(
  context: Context,
  settings: WorkbenchSettings | undefined,
  findings: Findings,
): Promise<void> {
  const files = await findServers({ host: hostInfo(context), project: context.cwd });
  let entries = 0;
  for (const found of files) {
    const { client, file, problem, servers } = found;
    const subject = `${clientLabel(client)} (${file})`;
    if (problem !== undefined)
      findings.add({
        area,
        subject,
        status: "warning",
        message: problem,
        fix: "Fix the file; until then it is neither read nor changed",
      });
    const own = servers.filter(({ isWorkbench }) => isWorkbench);
    entries += own.length;
    for (const entry of own) await checkEntry(context, subject, client, entry, findings);
    if (own.length > 0 && settings !== undefined)
      await checkDuplicates(context, subject, found, settings, findings);
  }
  if (entries === 0)
    findings.add({
      area,
      subject: "clients",
      status: "warning",
      message: "no client has the workbench",
      fix: "mcp-workbench install CLIENT",
    });
}

// --- internal ---

async function checkEntry(
  context: Context,
  subject: string,
  client: string,
  { entry, name }: FoundServer,
  findings: Findings,
): Promise<void> {
  const words = [entry?.command ?? "", ...(entry?.args ?? [])];
  const missing = await missingIn(context, words);
  const fix = `mcp-workbench install ${client}`;
  findings.add(
    missing === undefined
      ? { area, subject, status: "ok", message: `starts the workbench as '${name}'` }
      : { area, subject, status: "error", message: `its entry '${name}' names ${missing}`, fix },
  );
}

/** The file that our entry names but that does not exist. */
async function missingIn(context: Context, words: readonly string[]): Promise<string | undefined> {
  const [command = "", script = ""] = words;
  const host = hostInfo(context);
  if (isAbsolute(command) ? !existsSync(command) : (await findProgram(command, host)) === undefined)
    return `the program ${command}, which does not exist`;
  if (isAbsolute(script) && !existsSync(script)) return `${script}, which does not exist`;
  const config = words[words.indexOf("--config") + 1];
  if (
    words.includes("--config") &&
    config !== undefined &&
    isAbsolute(config) &&
    !existsSync(config)
  )
    return `the configuration ${config}, which does not exist`;
  return undefined;
}

async function checkDuplicates(
  context: Context,
  subject: string,
  { client, servers }: FoundFile,
  settings: WorkbenchSettings,
  findings: Findings,
): Promise<void> {
  const { remove } = await replacedEntries(context, servers, settings);
  if (remove.length === 0) return;
  const names = remove.map(({ name }) => name).join(", ");
  findings.add({
    area,
    subject,
    status: "warning",
    message: `these servers are configured twice, in the workbench and in this client, so agents load them twice: ${names}`,
    fix: `mcp-workbench install ${client} --replace`,
  });
}
