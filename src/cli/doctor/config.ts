import { chmod, stat } from "node:fs/promises";

import { canonicalEntry } from "../../clients/canonical.ts";
import { runsWorkbench } from "../../clients/entry.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { isWorkbenchError } from "../../errors.ts";
import { entriesOf, valueAt } from "../../text/json.ts";
import { editorFor } from "../../files/formats.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import type { Context } from "../core/command.ts";
import { serversIn } from "../../workbench/scopes.ts";
import { loadSettings, sizeOf } from "../core/settings.ts";
import type { Findings } from "./check.ts";
import { usesRemote } from "./client-url.ts";
import { checkLiteralSecrets, type WrittenServer } from "./literal-secrets.ts";
import { checkSettings } from "./settings.ts";

const area = "config";

/** Checks the configuration; returns its settings if it is valid. */
export async function checkConfig(
  context: Context,
  findings: Findings,
): Promise<WorkbenchSettings | undefined> {
  let settings: WorkbenchSettings;
  try {
    settings = await loadSettings(context, context.args.text("config"));
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    const { code, message, hint } = error;
    const isNeeded = context.args.text("config") !== undefined || !(await usesRemote(context));
    if (code === "CONFIG_NOT_FOUND" && !isNeeded) {
      const none = "none; the clients connect to a workbench that runs elsewhere";
      findings.add({ area, subject: "configuration", status: "ok", message: none });
      return undefined;
    }
    const fix = hint ?? "Fix the file";
    findings.add({ area, subject: "configuration", status: "error", message, fix });
    return undefined;
  }
  const { file = "" } = settings;
  const servers = serversIn(settings.toolboxes);
  const status = servers.length === 0 ? "warning" : "ok";
  findings.add({
    area,
    subject: file,
    status,
    message: sizeOf(settings),
    ...(servers.length === 0 && { fix: "Add a server with 'mcp-workbench add'" }),
  });
  const literal = await checkEntries(context, file, findings);
  await checkPermissions(file, literal, findings);
  checkSettings(settings, findings);
  return settings;
}

/** Checks that need the text before variables are expanded. Returns the number of plain-text secrets. */
async function checkEntries(context: Context, file: string, findings: Findings): Promise<number> {
  const { parse } = await editorFor("jsonc");
  const document = parse(readRegularFile(file).toString("utf8"));
  const written: WrittenServer[] = [];
  for (const [toolbox, box] of entriesOf(valueAt(document, ["toolboxes"])))
    for (const [name, raw] of entriesOf(valueAt(box, ["mcpServers"]))) {
      const { entry } = canonicalEntry(raw, { syntax: "braces" });
      if (entry === undefined) continue;
      const subject = `${toolbox}/${name}`;
      if (runsWorkbench(entry))
        findings.add({
          area,
          subject,
          status: "error",
          message: "it starts the workbench itself, in an endless loop",
          fix: `Remove it: mcp-workbench remove ${subject}`,
        });
      written.push({ subject, entry });
    }
  return checkLiteralSecrets(context, file, written, findings);
}

async function checkPermissions(file: string, secrets: number, findings: Findings): Promise<void> {
  if (process.platform === "win32") return;
  const { mode } = await stat(file);
  const others = mode & 0o077;
  if (others === 0) return;
  const what = (others & 0o022) === 0 ? "read" : "change";
  const why =
    what === "change"
      ? "and so choose which programs run as you"
      : secrets > 0
        ? "and it contains secrets"
        : "and see what you use";
  const fix = `chmod 600 ${file}`;
  const message = `other users of this machine can ${what} it, ${why}`;
  await findings.repairable({ area, subject: file, status: "warning", message, fix }, () =>
    chmod(file, 0o600),
  );
}
