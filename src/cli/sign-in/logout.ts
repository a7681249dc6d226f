import { EXIT, reasonOf, workbenchError } from "../../errors.ts";
import type { OAuthSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { type RemoteServer, findRemoteServer, remoteServers } from "./remote-server.ts";
import { storedRecords } from "./stored-records.ts";
import { serverOfUser } from "./user-option.ts";
import { type UsedSignIns, withSignIns } from "./with-sign-ins.ts";

type Loggable = Pick<RemoteServer, "label" | "place" | "transport" | "oauth" | "settings">;

/** `logout TOOLBOX/SERVER [--user NAME] | --all` */
export async function logout(context: Context): Promise<number> {
  const { args, out } = context;
  const [name] = args.words;
  if ((name === undefined) !== args.flag("all"))
    throw workbenchError(
      "USAGE",
      { reason: "logout takes either one server or --all" },
      "Usage: mcp-workbench logout TOOLBOX/SERVER | --all",
    );
  if (name === undefined && args.text("user") !== undefined)
    throw workbenchError("USAGE", { reason: "--user and --all cannot be combined" });
  const settings = await loadSettings(context, args.text("config"));
  return withSignIns(context, settings, async (signIns) => {
    const found = name === undefined ? undefined : findRemoteServer(name, settings);
    const servers =
      found === undefined
        ? await allStored(signIns, remoteServers(settings))
        : [await serverOfUser(context, found, settings, signIns.store)];
    const results = await endSignIns(context, servers, signIns);
    if (name === undefined) results.push(...(await removeUnreadable(context, signIns)));
    if (results.length === 0) out.say("You are not signed in to any server.");
    out.document({ servers: results });
    return EXIT.ok;
  });
}

/** Signs out of servers, one after another. */
export async function endSignIns(
  { out }: Pick<Context, "out">,
  servers: readonly Loggable[],
  signIns: UsedSignIns,
): Promise<LoggedOut[]> {
  const results: LoggedOut[] = [];
  for (const server of servers) {
    const { oauth } = server;
    const signIn = signIns.of(server);
    const { user } = signIn.status;
    const label = user === undefined ? server.label : `${server.label} (user ${user})`;
    const { removed, revoked, problem = null } = await signIn.logout();
    results.push({ server: server.label, account: oauth.account, user, removed, revoked, problem });
    if (!removed) out.say(`You were not signed in to ${label}.`);
    else out.say(`Signed out of ${label}${revoked ? "" : NOT_REVOKED}.`);
    if (problem !== null)
      out.warn(
        `The tokens of ${label} could not be revoked: ${problem}. They are valid until they expire; you may end the session at the service`,
      );
  }
  return results;
}

const NOT_REVOKED = "; the tokens were only deleted here";

interface LoggedOut {
  /** The file, if it cannot be read. */
  readonly server: string;
  readonly account: string | null;
  /** Whose it was, if each user has their own and it is not that of the owner. */
  readonly user?: string | undefined;
  readonly removed: boolean;
  readonly revoked: boolean;
  readonly problem: string | null;
}

/** Deletes damaged files, and those whose key is gone. What they contain may still be valid. */
async function removeUnreadable(
  { out }: Pick<Context, "out">,
  { store }: UsedSignIns,
): Promise<readonly LoggedOut[]> {
  const results = [];
  for (const stored of await store.list()) {
    if ("record" in stored) continue;
    const { file: server } = stored;
    const failure = await store.removeFile(server).then(() => undefined, reasonOf);
    const problem = failure ?? reasonOf(stored.problem);
    const removed = failure === undefined;
    results.push({ server, account: null, removed, revoked: false, problem });
    out.warn(removed ? `Deleted ${server}, which could not be read or revoked` : problem);
  }
  return results;
}

/** Everything that is stored, also for servers that are no longer configured. */
export async function allStored(
  { store }: UsedSignIns,
  configured: readonly RemoteServer[],
): Promise<readonly Loggable[]> {
  return (await storedRecords(store)).map(({ url, account, user }) => {
    const known = configured.find(
      ({ transport, oauth }) =>
        sameAddress(transport.url, url) &&
        oauth.account === account &&
        (oauth.user === undefined) === (user === undefined),
    );
    const oauth: OAuthSettings = { account, grant: "authorization_code" };
    const place = { toolbox: "", server: "" };
    const transport = { kind: "auto", url, headers: {} } as const;
    const server = known ?? { label: url, place, oauth, transport };
    return { ...server, oauth: { ...server.oauth, user } };
  });
}

const sameAddress = (one: string, other: string): boolean =>
  credentialUrl(one) === credentialUrl(other);
const credentialUrl = (url: string): string => new URL(url).href;
