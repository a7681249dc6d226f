import { existsSync } from "node:fs";
import { join } from "node:path";

import type { MovedSecret } from "../../clients/move-secrets.ts";
import type { FoundFile } from "../../clients/read.ts";
import { lineMask } from "../../clients/secrets.ts";
import { assertInsideProject } from "../../clients/project-file.ts";
import { requireClient } from "../../clients/table.ts";
import { CONFIG_FILE_NAME } from "../../config/locate.ts";
import { EXIT, type WorkbenchError, workbenchError } from "../../errors.ts";
import { readText } from "../../files/text.ts";
import type { Context } from "../command.ts";
import { plural } from "../output/layout.ts";
import { safeText } from "../output/safe-text.ts";
import { readSeconds } from "../seconds.ts";
import {
  type ConfigEdit,
  applyConfig,
  existingConfig,
  newConfigPath,
  planConfig,
} from "./config-file.ts";
import { type Draft, configOf, draftFrom, serversOf, replaceSecretsByVariables } from "./draft.ts";
import { findFiles } from "./find-servers.ts";
import { skippedReport } from "./import.ts";
import { offerInstall } from "./init-install.ts";
import type { Installed } from "./install-clients.ts";
import { formatJson } from "./json-layout.ts";
import { keepSecrets } from "./keep-secrets.ts";
import { hostInfo, shortPath } from "./machine.ts";
import { askAboutProjectServers } from "./project-servers.ts";
import { showFound, showSecrets, showSkipped, showTokens, showToolboxes } from "./show-draft.ts";
import { starterConfig } from "./starter.ts";
import { type Trial, tryServers } from "./trial.ts";
import { reportWritten } from "./written.ts";

const TRIAL_SECONDS = 20;

/** `init`: from what the clients on this machine have to a configuration that works. */
export async function init(context: Context): Promise<number> {
  const { args, out } = context;
  const timeoutMs = readSeconds(args.text("timeout"), TRIAL_SECONDS);
  // Names are checked before anything is written or started.
  for (const client of args.list("install")) if (client !== "all") requireClient(client);
  const file = targetOf(context);
  const files = await findFiles(context);
  const { allowed, refused } = await askAboutProjectServers(context, files);
  const { toolboxes: proposed, skipped } = await draftFrom(context, allowed, args.text("toolbox"));
  const draft: Draft = { toolboxes: proposed, skipped: [...refused, ...skipped] };
  const isEmpty = serversOf(draft.toolboxes).length === 0;
  show(context, files, draft);
  const trial =
    isEmpty || !connects(context)
      ? undefined
      : await tryServers(context, draft.toolboxes, timeoutMs);
  if (trial !== undefined) showTokens(trial, out);

  const { toolboxes, moved } = replaceSecretsByVariables(draft.toolboxes);
  const keep = await keepSecrets(context, moved);
  const text = isEmpty
    ? starterConfig(context.cwd)
    : `${formatJson(configOf(keep ? draft.toolboxes : toolboxes))}\n`;
  const edit = await planConfig(context, file, await readText(file), text);
  const written = await write(context, edit, isEmpty);
  const secrets = keep ? [] : moved;
  if (written || args.flag("dry-run")) showSecrets(secrets, out);
  const { installed, error } = written
    ? await offerInstall(context, file, draft, secrets.length > 0)
    : { installed: [], error: undefined };
  if (written && error === undefined) out.say(nextStep(installed));
  report(context, { files, draft, trial, secrets, edit, written, installed });
  return error?.exitCode ?? EXIT.ok;
}

// --- internal ---

const connects = ({ args }: Context): boolean => !args.flag("no-connect") && !args.flag("dry-run");

/** Where to write; a configuration that exists is not replaced unless somebody says so. */
function targetOf(context: Context): string {
  const { args, cwd } = context;
  const here = args.flag("here");
  if (here && args.text("config") !== undefined)
    throw workbenchError("USAGE", { reason: "--here and --config exclude each other" });
  const file = here
    ? join(cwd, CONFIG_FILE_NAME)
    : (existingConfig(context) ?? newConfigPath(context));
  if (here) assertInsideProject(file, cwd);
  if (existsSync(file) && !args.flag("force")) throw existsAlready(file);
  return file;
}

function existsAlready(file: string): WorkbenchError {
  const hint =
    "Add servers to it with 'mcp-workbench import', or replace it with --force (a backup is kept)";
  return workbenchError("CONFIG_EXISTS", { file }, hint);
}

function show(context: Context, files: readonly FoundFile[], draft: Draft): void {
  const { out } = context;
  const { bold } = out.noteStyle;
  const found = files.flatMap(({ servers }) => servers).length;
  const withServers = files.filter(({ servers }) => servers.length > 0).length;
  if (found > 0)
    out.say(bold(`Found ${plural(found, "server")} in ${plural(withServers, "file")}\n`));
  showFound(files, hostInfo(context), out);
  showSkipped(draft.skipped, out);
  if (draft.toolboxes.length === 0) {
    out.say("No servers to import were found: this will be a starter configuration.");
    return;
  }
  out.say(`\n${bold("Proposed toolboxes")}`);
  showToolboxes(draft.toolboxes, out);
  if (connects(context)) out.say(`\n${bold("Connecting to each of them")}`);
}

async function write(context: Context, edit: ConfigEdit, isStarter: boolean): Promise<boolean> {
  const { args, out, prompt } = context;
  if (args.flag("dry-run")) {
    out.print(safeText(masked(edit.after).trimEnd()));
    return false;
  }
  const name = shortPath(edit.file, hostInfo(context));
  if (prompt.available && !args.flag("yes")) {
    out.say("");
    if (!(await prompt.confirm(`Write ${name}?`, true))) return false;
  }
  const backup = await applyConfig(context, edit, isStarter ? "init (starter)" : "init", true);
  reportWritten(context, edit.file);
  if (backup !== undefined) out.say(`  Backup of the one before: ${backup}`);
  return true;
}

/** The text that would be written, fit to be shown. */
const masked = (text: string): string => text.split("\n").map(lineMask()).join("\n");

function nextStep(installed: readonly Installed[]): string {
  return installed.some(({ changed }) => changed)
    ? "\nRestart the client, then check everything with: mcp-workbench doctor"
    : "\nNext: mcp-workbench install CLIENT, then check everything with: mcp-workbench doctor";
}

interface Outcome {
  readonly files: readonly FoundFile[];
  readonly draft: Draft;
  readonly trial: Trial | undefined;
  readonly secrets: readonly MovedSecret[];
  readonly edit: ConfigEdit;
  readonly written: boolean;
  readonly installed: readonly Installed[];
}

function report({ args, out }: Context, outcome: Outcome): void {
  const { files, draft, trial, secrets, edit, written, installed } = outcome;
  out.document({
    found: files.map(({ client, file, scope, servers, problem }) => ({
      client,
      file,
      scope,
      servers: servers.map(({ name }) => name),
      problem: problem ?? null,
    })),
    toolboxes: draft.toolboxes.map(({ name, description, servers }) => ({
      name,
      description,
      servers: servers.map((server) => {
        const tried = trial?.servers.get(server.name);
        return {
          name: server.name,
          from: server.from.map(({ client, file, scope }) => ({ client, file, scope })),
          tools: tried?.tools ?? null,
          tokens: tried?.tokens ?? null,
          error: tried?.error ?? null,
          lastOutput: tried?.lastOutput ?? [],
        };
      }),
    })),
    skipped: draft.skipped.map(skippedReport),
    secrets: secrets.map(({ variable, uses }) => ({ variable, uses })),
    tokens: trial === undefined ? null : { before: trial.before, after: trial.after },
    config: {
      file: edit.file,
      written,
      ...(args.flag("dry-run") && { text: masked(edit.after) }),
    },
    installed,
  });
}
