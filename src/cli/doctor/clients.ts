import { type FoundFile, type FoundServer, findServers } from "../../clients/read.ts";
import { servedView } from "../../clients/served-view.ts";
import { clientLabel } from "../../clients/table.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { ownCommand } from "../core/own-command.ts";
import { settingsInView } from "../setup/install-view.ts";
import { replacedEntries } from "../setup/replaced-entries.ts";
import type { Findings } from "./check.ts";
import { checkProgramEntry } from "./client-entry.ts";
import { checkHooks } from "./client-hooks.ts";
import { checkUrlEntry } from "./client-url.ts";

const area = "clients";

/**
 * Checks the entries for the workbench in the clients on this machine; without a time limit for
 * connecting, nothing is connected.
 */
export async function checkClients(
  context: Context,
  settings: WorkbenchSettings | undefined,
  findings: Findings,
  connectMs?: number,
): Promise<void> {
  const files = await findServers({ host: hostInfo(context), project: context.cwd });
  const own: FoundServer[] = [];
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
    const here = servers.filter(({ isWorkbench }) => isWorkbench);
    own.push(...here);
    for (const entry of here) {
      const finding =
        entry.entry?.url === undefined
          ? await checkProgramEntry(context, entry, settings)
          : await checkUrlEntry(context, entry, connectMs);
      findings.add({ area, subject, ...finding });
    }
    // What a remote workbench provides is not known here.
    const local = here.filter(({ entry }) => entry?.url === undefined);
    if (local.length > 0 && settings !== undefined)
      await checkDuplicates(context, subject, found, settingsShown(local, settings), findings);
  }
  await checkHooks(context, own, findings);
  if (own.length === 0)
    findings.add({
      area,
      subject: "clients",
      status: "warning",
      message: "no client has the workbench",
      fix: `${ownCommand(context)} install CLIENT`,
    });
}

/** The part of the configuration that the entries in a file show. */
function settingsShown(
  entries: readonly FoundServer[],
  settings: WorkbenchSettings,
): WorkbenchSettings {
  const views = entries.map(({ entry }) => servedView(entry?.args ?? []));
  const isWhole = views.some(({ toolboxes, server }) => toolboxes.length === 0 && !server);
  if (isWhole) return settings;
  const shown = views.flatMap((view) => [...settingsInView(settings, view).toolboxes]);
  return { ...settings, toolboxes: new Map(shown) };
}

async function checkDuplicates(
  context: Context,
  subject: string,
  { client, servers }: FoundFile,
  settings: WorkbenchSettings,
  findings: Findings,
): Promise<void> {
  // The client needs its own entry until the server works behind the workbench.
  const failing = new Set(
    findings.checks.filter(({ status }) => status === "error").map(({ subject: server }) => server),
  );
  const replaced = await replacedEntries(context, servers, settings);
  const remove = replaced.remove.filter(({ by = "" }) => !failing.has(by));
  if (remove.length === 0) return;
  const names = remove.map(({ name }) => name).join(", ");
  findings.add({
    area,
    subject,
    status: "warning",
    message: `these servers are configured twice, in the workbench and in this client, so agents load them twice: ${names}`,
    fix: `${ownCommand(context)} install ${client} --replace`,
  });
}
