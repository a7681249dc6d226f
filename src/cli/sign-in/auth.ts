import { EXIT, reasonOf } from "../../errors.ts";
import type { AuthStatus } from "../../sign-in/types.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { loadSettings } from "../core/settings.ts";
import { columns } from "../output/layout.ts";
import { remoteServers } from "./remote-server.ts";
import { withSignIns } from "./with-sign-ins.ts";

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
    for (const { label, ...server } of remoteServers(settings)) {
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
    const { state, account, reason, login } = auth;
    const shown = state === "signed-in" ? green(TEXTS[state]) : yellow(TEXTS[state]);
    const details = reason ?? (isKnown ? lifetimeOf(auth) : "if it asks for a login:");
    const next = state === "signed-in" ? "" : login;
    return [bold(server), account, shown, dim(safeLine(details)), next];
  });
  return columns(rows, "", out.tableWidth);
}

function lifetimeOf({ expiresAt, refreshable }: AuthStatus): string {
  if (refreshable) return "refreshed automatically";
  return expiresAt === null ? "no expiry known" : `until ${expiresAt}`;
}
