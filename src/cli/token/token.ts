import { stateFile } from "../../access/shared-files.ts";
import { type StateFile, syncSharedFile } from "../../access/state-file.ts";
import { createToken, revokeToken, rotateToken } from "../../access/tokens/manage-tokens.ts";
import { TOKEN_FORMAT, readTokens, tokenFile } from "../../access/tokens/token-file.ts";
import { principalOf } from "../../access/tokens/token-record.ts";
import { checkTokenName } from "../../access/tokens/token-names.ts";
import { thisMachine } from "../../config/directories.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { withCluster } from "../core/cluster.ts";
import type { Context } from "../core/command.ts";
import { checkedScope } from "./checked-scope.ts";
import { readLifetime } from "../../access/tokens/lifetime.ts";
import { shownToken } from "../../access/tokens/shown-token.ts";
import { showIssued, tokenTable } from "./show-tokens.ts";

/** `token create NAME`, `token list`, `token revoke NAME` and `token rotate NAME`. */
export async function token(context: Context): Promise<number> {
  const [action = "", name] = context.args.words;
  const run = ACTIONS.get(action);
  if (run === undefined) throw usage(`Unknown action '${action}'`);
  if ((action === "list") !== (name === undefined))
    throw usage(action === "list" ? "'list' takes no name" : `Name the token to ${action}`);
  if (action !== "create") refuseOptions(context, action);
  await withCluster(context, async (link) => {
    const path = tokenFile(thisMachine(context.env));
    const file = stateFile(path, "tokens", link, (problem) => context.out.warn(problem));
    if (typeof file !== "string") await syncSharedFile(file, TOKEN_FORMAT);
    await run(context, file, name ?? "");
  });
  return EXIT.ok;
}

type Action = (context: Context, file: StateFile, name: string) => Promise<void>;

const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ["create", create],
  ["list", list],
  ["revoke", revoke],
  ["rotate", rotate],
]);

async function create(context: Context, file: StateFile, name: string): Promise<void> {
  const { args } = context;
  checkTokenName(name);
  const lifetimeMs = readLifetime(args.text("expires"));
  const readOnly = args.flag("read-only");
  const { toolboxes, servers } = await checkedScope(context);
  const issued = await createToken(file, { name, toolboxes, servers, readOnly, lifetimeMs });
  showIssued(context, issued, "Created");
}

async function list({ out }: Context, file: StateFile): Promise<void> {
  const tokens = readTokens(file);
  out.document({ tokens: tokens.map((record) => shownToken(record)) });
  out.print(
    tokens.length === 0
      ? "There are no tokens. Create one: mcp-workbench token create NAME"
      : tokenTable(tokens, out),
  );
}

async function revoke(context: Context, file: StateFile, name: string): Promise<void> {
  const { out } = context;
  const record = await revokeToken(file, name);
  out.document(shownToken(record));
  out.say(`${out.noteStyle.green("✓")} Revoked the token '${name}'. Its sessions end now.`);
  const { endSignInsOf } = await import("./end-sign-ins.ts");
  await endSignInsOf(context, principalOf(record).id);
}

async function rotate(context: Context, file: StateFile, name: string): Promise<void> {
  showIssued(context, await rotateToken(file, name), "Replaced");
}

function refuseOptions({ args }: Context, action: string): void {
  const given =
    args.list("toolbox").length > 0
      ? "toolbox"
      : args.list("server").length > 0
        ? "server"
        : args.flag("read-only")
          ? "read-only"
          : args.text("expires") !== undefined
            ? "expires"
            : undefined;
  if (given === undefined) return;
  throw workbenchError(
    "USAGE",
    { reason: `--${given} does not work with '${action}'` },
    "To change what a token may use, revoke it and create another",
  );
}

function usage(reason: string): Error {
  return workbenchError(
    "USAGE",
    { reason },
    "Usage: mcp-workbench token create NAME | list | revoke NAME | rotate NAME",
  );
}
