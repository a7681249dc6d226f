import type { View } from "../../clients/entry.ts";
import {
  type RemoteWorkbench,
  isWorkbenchName,
  isWorkbenchUrl,
} from "../../clients/remote-entry.ts";
import { nameProblem } from "../../config/check/names.ts";
import { workbenchError } from "../../errors.ts";
import { secretsInEntry } from "../../secrets/in-entry.ts";
import { isLoopback } from "../../text/loopback.ts";
import type { Arguments, Context } from "../core/command.ts";

const VARIABLE = /^[A-Za-z_]\w*$/;

/** The workbench that `--url` and `--token-env` name; a view becomes part of the address. */
export function readRemote(args: Arguments, address: string, view: View): RemoteWorkbench {
  for (const option of ["replace", "config"] as const)
    if (option === "config" ? args.text(option) !== undefined : args.flag(option))
      throw workbenchError("USAGE", { reason: `--${option} and --url cannot be combined` });
  const url = urlInView(checkedUrl(address), view);
  const name = args.text("name");
  if (name !== undefined && !isWorkbenchName(name))
    throw workbenchError(
      "USAGE",
      { reason: "With --url, --name must be 'workbench' or start with 'workbench-'" },
      "Otherwise uninstall and doctor cannot recognise the entry",
    );
  const tokenVariable = args.text("token-env");
  if (tokenVariable === undefined) return { url };
  // The value is not repeated: it may be a token.
  if (!VARIABLE.test(tokenVariable))
    throw workbenchError(
      "USAGE",
      { reason: "--token-env is not the name of an environment variable" },
      "It takes the name of the variable with the token, not the token itself",
    );
  return { url, tokenVariable };
}

/** What may keep a client from connecting, or put the token at risk. */
export function remoteWarnings(
  { url, tokenVariable }: RemoteWorkbench,
  env: Context["env"],
): readonly string[] {
  if (tokenVariable === undefined) return [];
  const { protocol, hostname } = new URL(url);
  const isOpen = protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""));
  const isUnset = (env[tokenVariable] ?? "") === "";
  return [
    ...(isOpen
      ? [`${hostname} uses http://, so anyone on the network path can read the token`]
      : []),
    ...(isUnset
      ? [`${tokenVariable} is not set here. The client needs it in its environment`]
      : []),
  ];
}

function checkedUrl(address: string): string {
  const usage = (reason: string, hint?: string): Error => workbenchError("USAGE", { reason }, hint);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw usage("--url is not an http:// or https:// address");
  const { username, password, search, hash } = new URL(address);
  if (username !== "" || password !== "" || secretsInEntry({ url: address }).length > 0)
    throw usage(
      "--url contains a secret, which would be stored in plain text",
      "Use --token-env with the name of a variable",
    );
  if (search !== "" || hash !== "" || !isWorkbenchUrl(address))
    throw usage(
      "--url is not the address of a workbench",
      "It ends with /mcp, /mcp/TOOLBOX or /mcp/TOOLBOX/SERVER",
    );
  return address.replace(/\/$/, "");
}

function urlInView(url: string, { toolboxes = [], server }: View): string {
  const path = server ?? toolboxes[0];
  if (path === undefined) return url;
  const names = path.split("/");
  const isComplete = names.length === (server === undefined ? 1 : 2);
  if (!isComplete || names.some((name) => nameProblem(name) !== undefined))
    throw workbenchError("USAGE", {
      reason:
        server === undefined
          ? "--toolbox is not the name of a toolbox"
          : "--server is not in the form TOOLBOX/SERVER",
    });
  if (toolboxes.length > 1)
    throw workbenchError("USAGE", {
      reason: "A URL shows all toolboxes or one of them, not several",
    });
  if (!new URL(url).pathname.endsWith("/mcp"))
    throw workbenchError("USAGE", { reason: "--url already selects what the client sees" });
  return `${url}/${path}`;
}
