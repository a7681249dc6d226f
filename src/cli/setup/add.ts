import { resolve } from "node:path";

import type { ServerEntry } from "../../clients/canonical.ts";
import { OTHER } from "../../clients/categories.ts";
import { secretsInEntry } from "../../secrets/in-entry.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { findTrusted } from "../core/consent.ts";
import { readEnv, readHeaders } from "../core/server-options.ts";
import { applyEdit } from "./apply-edit.ts";
import { ConfigText } from "./config-edit.ts";
import { checkName } from "./config-entry.ts";
import { existingConfig, newConfigPath, planConfig } from "./config-file.ts";
import { descriptionFor } from "./description-for.ts";

/** `add NAME -- command args…`, `add NAME URL` */
export async function add(context: Context): Promise<number> {
  const { args, out } = context;
  const [server = ""] = args.words;
  const entry = entryFrom(context);
  const config = await ConfigText.read(await fileToEdit(context));
  const toolbox = await chooseToolbox(context, config);
  for (const name of [toolbox, server]) checkName(name);
  if (config.toolboxes.get(toolbox)?.has(server) === true && !args.flag("force")) {
    const hint = "Choose a different name, or replace it with --force";
    throw workbenchError("SERVER_EXISTS", { toolbox, server }, hint);
  }
  const description = args.text("description") ?? descriptionFor(server, entry);
  config.setServer(toolbox, description, server, entry);
  const edit = await planConfig(context, config.file, config.before, config.after);
  const report = await applyEdit(context, edit, {
    what: `add ${toolbox}/${server}`,
    ask: false,
  });
  for (const { name } of secretsInEntry(entry))
    out.warn(`${name} is stored in plain text. Set a variable and write \${VARIABLE}`);
  if (report.changed) out.say(`Try it: ${ownCommand(context)} list ${toolbox}/${server}`);
  out.document({ ...report, toolbox, server });
  return EXIT.ok;
}

async function fileToEdit(context: Context): Promise<string> {
  if (existingConfig(context) === undefined) return newConfigPath(context);
  return (await findTrusted(context, context.args.text("config"))).file;
}

function entryFrom({ args, cwd }: Context): ServerEntry {
  const [, url] = args.words;
  const [command, ...rest] = args.rest;
  const env = readEnv(args.list("env"));
  const headers = readHeaders(args.list("header"));
  if (url !== undefined && command === undefined) {
    if (!/^https?:\/\//i.test(url)) {
      const hint = `For a program, write: mcp-workbench add NAME -- ${url} …`;
      throw workbenchError("USAGE", { reason: `'${url}' is not a URL` }, hint);
    }
    refuse(args.list("env").length > 0, "--env is only for servers that are started as a command");
    refuse(
      args.text("cwd") !== undefined,
      "--cwd is only for servers that are started as a command",
    );
    const type = args.text("transport");
    refuse(type !== undefined && !/^(http|sse)$/.test(type), "--transport takes http or sse");
    return {
      ...(type !== undefined && { type: type as "http" | "sse" }),
      url,
      ...(Object.keys(headers).length > 0 && { headers }),
    };
  }
  refuse(command === undefined, "Give a URL, or the server's command line after --");
  refuse(url !== undefined, `Unexpected argument '${url}'`);
  refuse(args.list("header").length > 0, "--header is only for servers with a URL");
  refuse(args.text("transport") !== undefined, "--transport is only for servers with a URL");
  const folder = args.text("cwd");
  const here = folder === undefined ? cwd : resolve(cwd, folder);
  return {
    command: absolute(command ?? "", here),
    ...(rest.length > 0 && { args: rest.map((word) => absolute(word, here)) }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(folder !== undefined && { cwd: here }),
  };
}

/** The server may be started from any folder, so relative paths become absolute. */
function absolute(word: string, folder: string): string {
  return /^\.{1,2}([/\\]|$)/.test(word) ? resolve(folder, word) : word;
}

function refuse(condition: boolean, reason: string): void {
  if (condition) throw workbenchError("USAGE", { reason }, "See mcp-workbench add --help");
}

/** The toolbox given with `--toolbox`, the only one, or the one that the user chooses. */
async function chooseToolbox({ args, prompt }: Context, config: ConfigText): Promise<string> {
  const named = args.text("toolbox");
  if (named !== undefined) return named;
  const names = [...config.toolboxes.keys()];
  const [only = OTHER.toolbox, ...others] = names;
  if (others.length === 0) return only;
  if (!prompt.available) {
    const hint = `Choose one with --toolbox: ${names.join(", ")}`;
    throw workbenchError("USAGE", { reason: "There are several toolboxes" }, hint);
  }
  const [chosen = 0] = await prompt.choose("Add it to which toolbox?", names, [0]);
  return names[chosen] ?? only;
}
