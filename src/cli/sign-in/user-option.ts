import { readTokens, tokenFile } from "../../access/tokens/token-file.ts";
import { principalOf } from "../../access/tokens/token-record.ts";
import { USER_PREFIX, userIdOf } from "../../access/users/user-id.ts";
import { thisMachine } from "../../config/directories.ts";
import { OWNER_USER } from "../../config/per-user.ts";
import type { SignInUser, WorkbenchSettings } from "../../config/types.ts";
import type { CredentialStore } from "../../credentials/types.ts";
import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import type { RemoteServer } from "./remote-server.ts";
import { storedRecords } from "./stored-records.ts";

/** The server with the sign-in of the user that `--user` names; your own without it. */
export async function serverOfUser<T extends Pick<RemoteServer, "label" | "oauth">>(
  context: Pick<Context, "args" | "env">,
  server: T,
  settings: WorkbenchSettings,
  store: CredentialStore,
): Promise<T> {
  const name = context.args.text("user");
  if (name === undefined) return server;
  if (server.oauth.user === undefined)
    throw workbenchError(
      "USAGE",
      { reason: `'${server.label}' has one sign-in for all clients, so --user does not apply` },
      'Leave it out, or set "credentials": "perUser" for the server',
    );
  const user = await findUser(context, name, settings, store);
  return { ...server, oauth: { ...server.oauth, user } };
}

/** A token by its name, a user who has signed in before by name, or a user of the identity provider by subject. */
async function findUser(
  { env }: Pick<Context, "env">,
  name: string,
  { http }: WorkbenchSettings,
  store: CredentialStore,
): Promise<SignInUser> {
  if (name === OWNER_USER.name) return OWNER_USER;
  const tokens = readTokens(tokenFile(thisMachine(env)));
  const token = tokens.find((record) => record.name === name);
  if (token !== undefined) return { id: principalOf(token).id, name };
  const stored = await storedRecords(store);
  const users = new Map(stored.flatMap(({ user }) => (user ? [[user.id, user] as const] : [])));
  const [known, ...others] = [...users.values()].filter((user) =>
    [user.name, user.id].includes(name),
  );
  if (known !== undefined && others.length === 0) return known;
  if (known !== undefined)
    throw workbenchError(
      "USAGE",
      { reason: `Several users are called '${name}'` },
      `Use one of these instead: ${[known, ...others].map(({ id }) => `'${id}'`).join(", ")}`,
    );
  const subject = name.startsWith(USER_PREFIX) ? name.slice(USER_PREFIX.length) : "";
  if (subject !== "" && http.oauth !== undefined)
    return { id: userIdOf(http.oauth.issuer, subject), name };
  throw workbenchError(
    "USAGE",
    { reason: `There is no user '${name}'` },
    "Name an access token (mcp-workbench token list), or a user of the identity provider as oauth:SUBJECT",
  );
}
