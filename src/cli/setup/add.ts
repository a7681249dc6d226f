import { resolve } from "node:path";

import type { ServerEntry } from "../../clients/canonical.ts";
import { secretsInEntry } from "../../secrets/in-entry.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { ownCommand } from "../core/own-command.ts";
import { readEnv, readHeaders } from "../core/server-options.ts";
import { addEntry, chooseToolbox, entryTarget } from "./add-entry.ts";

/** `add NAME -- command args…`, `add NAME URL`, `add REGISTRY-NAME`, `add FILE.mcpb` */
export async function add(context: Context): Promise<number> {
  const { args, out } = context;
  const [server = "", url] = args.words;
  if (url === undefined && !args.hasRest && isOffer(server)) {
    for (const name of ["env", "header", "cwd", "transport"])
      refuse(isGiven(context, name), `--${name} is only for servers that you describe yourself`);
    const { addOffer } = await import("../offers/add-offer.ts");
    return addOffer(context);
  }
  for (const name of OFFER_OPTIONS)
    refuse(isGiven(context, name), `--${name} is only for servers of a registry and for bundles`);
  const entry = entryFrom(context);
  const config = await entryTarget(context);
  const toolbox = await chooseToolbox(context, config);
  const report = await addEntry(context, config, { toolbox, server, entry });
  for (const { name } of secretsInEntry(entry))
    out.warn(`${name} is stored in plain text. Set a variable and write \${VARIABLE}`);
  if (report.changed) out.say(`Try it: ${ownCommand(context)} list ${toolbox}/${server}`);
  out.document({ ...report, toolbox, server, offer: null });
  return EXIT.ok;
}

const OFFER_OPTIONS = ["registry", "package", "set", "secrets", "name"];

/** A name of a registry has a slash, which ours cannot have; a bundle has its ending. */
const isOffer = (word: string): boolean => word.includes("/") || /\.(?:mcpb|dxt)$/i.test(word);

function isGiven({ args }: Context, name: string): boolean {
  return LISTS.has(name) ? args.list(name).length > 0 : args.text(name) !== undefined;
}

const LISTS = new Set(["env", "header", "set"]);

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
  refuse(
    command === undefined,
    "Give a URL, the server's command line after --, a name of a registry or a bundle",
  );
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
