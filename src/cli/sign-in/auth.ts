import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, reasonOf } from "../../errors.ts";
import type { AuthStatus } from "../../sign-in/types.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { columns } from "../output/layout.ts";
import { type RemoteServer, remoteServers } from "./remote-server.ts";
import { storedRecords, usersAt } from "./stored-records.ts";
import { type UsedSignIns, withSignIns } from "./with-sign-ins.ts";

/** What is stored for a server. */
interface ListedServer {
  readonly server: string;
  readonly url: string;
  readonly auth: AuthStatus;
  /** Whether there was a login; servers that accept anyone never need one. */
  readonly isKnown: boolean;
}

/** `auth`: the remote servers and whether they are signed in to. Asks no server. */
export async function auth(context: Context): Promise<number> {
  const { args, out } = context;
  const settings = await loadSettings(context, args.text("config"));
  return withSignIns(context, settings, async (signIns) => {
    const servers: ListedServer[] = [];
    for (const { label, ...server } of await ofAllUsers(settings, signIns)) {
      const signIn = signIns.of(server);
      const problem = await signIn.load().then(() => undefined, reasonOf);
      const { status } = signIn;
      const auth = problem === undefined ? status : { ...status, reason: problem };
      const { url } = server.transport;
      servers.push({ server: label, url, auth, isKnown: signIn.isInUse });
    }
    out.document({ servers: servers.map(({ server, url, auth }) => ({ server, url, auth })) });
    out.print(servers.length === 0 ? NOTHING : tableOf(servers, context));
    return EXIT.ok;
  });
}

/** Where each user signs in, a server occurs once for the owner and once for each user who has. */
async function ofAllUsers(
  settings: WorkbenchSettings,
  { store }: UsedSignIns,
): Promise<readonly RemoteServer[]> {
  const servers = remoteServers(settings);
  if (!servers.some(({ oauth }) => oauth.user !== undefined)) return servers;
  const records = await storedRecords(store);
  return servers.flatMap((server) => [
    server,
    ...usersAt(server, records).map((user) => ({ ...server, oauth: { ...server.oauth, user } })),
  ]);
}

const NOTHING =
  "No remote server can be signed in to. Servers with an Authorization header do not need a login.";

const TEXTS: Readonly<Record<AuthStatus["state"], string>> = {
  "signed-in": "signed in",
  "needs-login": "not signed in",
  "needs-scope": "needs another login",
  refused: "refused",
  unreachable: "cannot be refreshed",
};

function tableOf(servers: readonly ListedServer[], { out }: Pick<Context, "out">): string {
  const { bold, dim, green, yellow } = out.style;
  const rows = servers.map(({ server, auth, isKnown }) => {
    const { state, account, user, reason, login } = auth;
    const shown = state === "signed-in" ? green(TEXTS[state]) : yellow(TEXTS[state]);
    const details = reason ?? (isKnown ? lifetimeOf(auth) : "if it asks for a login:");
    const next = state === "signed-in" ? "" : login;
    const who = user === undefined ? account : `${account} of ${safeLine(user)}`;
    return [bold(server), who, shown, dim(safeLine(details)), next];
  });
  return columns(rows, "", out.tableWidth);
}

function lifetimeOf({ expiresAt, refreshable }: AuthStatus): string {
  if (refreshable) return "refreshed automatically";
  return expiresAt === null ? "no expiry known" : `until ${expiresAt}`;
}
