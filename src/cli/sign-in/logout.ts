import { EXIT, reasonOf, workbenchError } from "../../errors.ts";
import type { OAuthSettings } from "../../config/types.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { type RemoteServer, findRemoteServer, remoteServers } from "./remote-server.ts";
import { type UsedSignIns, withSignIns } from "./with-sign-ins.ts";

type Loggable = Pick<RemoteServer, "label" | "place" | "transport" | "oauth" | "settings">;

/** `logout TOOLBOX/SERVER | --all` */
export async function logout(context: Context): Promise<number> {
  const { args, out } = context;
  const [name] = args.words;
  if ((name === undefined) !== args.flag("all"))
    throw workbenchError(
      "USAGE",
      { reason: "logout takes either one server or --all" },
      "Usage: mcp-workbench logout TOOLBOX/SERVER | --all",
    );
  const settings = await loadSettings(context, args.text("config"));
  return withSignIns(context, settings, async (signIns) => {
    const servers =
      name === undefined
        ? await allStored(signIns, remoteServers(settings))
        : [findRemoteServer(name, settings)];
    const results: LoggedOut[] = [];
    for (const server of servers) {
      const { label, oauth } = server;
      const { removed, revoked, problem = null } = await signIns.of(server).logout();
      results.push({ server: label, account: oauth.account, removed, revoked, problem });
      if (!removed) out.say(`You were not signed in to ${label}.`);
      else out.say(`Signed out of ${label}${revoked ? "" : NOT_REVOKED}.`);
      if (problem !== null)
        out.warn(
          `The tokens of ${label} could not be revoked: ${problem}. They are valid until they expire; you may end the session at the service`,
        );
    }
    if (name === undefined) results.push(...(await removeUnreadable(context, signIns)));
    if (results.length === 0) out.say("You are not signed in to any server.");
    out.document({ servers: results });
    return EXIT.ok;
  });
}

const NOT_REVOKED = "; the tokens were only deleted here";

interface LoggedOut {
  /** The file, if it cannot be read. */
  readonly server: string;
  readonly account: string | null;
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
async function allStored(
  { store }: UsedSignIns,
  configured: readonly RemoteServer[],
): Promise<readonly Loggable[]> {
  const stored = await store.list();
  const records = stored.flatMap((one) => ("record" in one ? [one.record] : []));
  return records.map(({ url, account }) => {
    const known = configured.find(
      ({ transport, oauth }) => sameAddress(transport.url, url) && oauth.account === account,
    );
    const oauth: OAuthSettings = { account, grant: "authorization_code" };
    const place = { toolbox: "", server: "" };
    return known ?? { label: url, place, oauth, transport: { kind: "auto", url, headers: {} } };
  });
}

const sameAddress = (one: string, other: string): boolean =>
  credentialUrl(one) === credentialUrl(other);
const credentialUrl = (url: string): string => new URL(url).href;
