import { readLifetime } from "../../access/tokens/lifetime.ts";
import {
  type IssuedToken as Issued,
  createToken,
  revokeToken,
  rotateToken,
} from "../../access/tokens/manage-tokens.ts";
import { stateFile } from "../../access/shared-files.ts";
import type { StateFile } from "../../access/state-file.ts";
import { shownToken } from "../../access/tokens/shown-token.ts";
import { readTokens, tokenFile } from "../../access/tokens/token-file.ts";
import { principalOf } from "../../access/tokens/token-record.ts";
import { checkServerNames, checkTokenScope } from "../../access/tokens/token-scope.ts";
import { thisMachine } from "../../config/directories.ts";
import type { DashboardContext } from "../context.ts";
import type { IssuedToken, TokenList } from "../contract.ts";
import { type Body, invalid, textIn, textsIn } from "../http/body.ts";

export function listTokens(context: DashboardContext): TokenList {
  return { tokens: readTokens(fileOf(context)).map(shownToken) };
}

export async function create(context: DashboardContext, body: Body): Promise<IssuedToken> {
  const scope = { toolboxes: textsIn(body, "toolboxes"), servers: textsIn(body, "servers") };
  checkServerNames(scope.servers);
  checkTokenScope(context.workbench.settings, scope);
  const { readOnly = false, expires } = body.value;
  if (typeof readOnly !== "boolean") throw invalid("'readOnly' must be true or false");
  const lifetimeMs = expires === undefined ? undefined : readLifetime(textIn(body, "expires"));
  const name = textIn(body, "name");
  const issued = await createToken(fileOf(context), { name, ...scope, readOnly, lifetimeMs });
  return shownOnce(context, issued);
}

export async function rotate(context: DashboardContext, body: Body): Promise<IssuedToken> {
  return shownOnce(context, await rotateToken(fileOf(context), textIn(body, "name")));
}

export async function revoke(context: DashboardContext, body: Body): Promise<TokenList> {
  const record = await revokeToken(fileOf(context), textIn(body, "name"));
  context.announce("tokens");
  const { workbench } = context;
  const { cluster, log, redactValues } = workbench.host;
  const mode = () => workbench.settings.credentials;
  const { endSignInsOf } = await import("../../workbench/sign-in/end-user.ts");
  // Access has ended already; an authorization server may take its time.
  void endSignInsOf(principalOf(record).id, { mode, cluster, log, redactValues });
  return listTokens(context);
}

function shownOnce(context: DashboardContext, { token, record }: Issued): IssuedToken {
  context.announce("tokens");
  return { token, name: record.name, ...listTokens(context) };
}

function fileOf({ env, workbench }: DashboardContext): StateFile {
  const { cluster, log } = workbench.host;
  return stateFile(tokenFile(thisMachine(env)), "tokens", cluster, (problem) => log.error(problem));
}
