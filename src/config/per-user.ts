import type { Problem } from "./problems.ts";
import type { ParsedConfig, ParsedServer } from "./schema.ts";
import { isRemote } from "./is-remote.ts";
import type { ServerSettings, SignInUser } from "./types.ts";

/** The user of this machine: clients over stdio, the command line, and the owner's token. */
export const OWNER_USER: SignInUser = { id: "owner", name: "owner" };

/** Whether every user signs in to this server separately. */
export function isPerUser({ transport }: Pick<ServerSettings, "transport">): boolean {
  return isRemote(transport) && transport.oauth?.user !== undefined;
}

/** The settings of a server that each user signs in to, for one of them. */
export function settingsForUser(settings: ServerSettings, user: SignInUser): ServerSettings {
  const { transport } = settings;
  if (!isRemote(transport) || transport.oauth === undefined) return settings;
  return { ...settings, transport: { ...transport, oauth: { ...transport.oauth, user } } };
}

/** Servers whose users cannot sign in separately, although the configuration says so. */
export function perUserProblems({ toolboxes }: Pick<ParsedConfig, "toolboxes">): Problem[] {
  const problems: Problem[] = [];
  for (const [toolbox, { mcpServers }] of Object.entries(toolboxes))
    for (const [server, entry] of Object.entries(mcpServers)) {
      const message = problemOf(entry);
      const path = ["toolboxes", toolbox, "mcpServers", server, "credentials"];
      if (message !== undefined) problems.push({ path, at: "value", message });
    }
  return problems;
}

function problemOf(entry: ParsedServer): string | undefined {
  if (!("url" in entry) || entry.credentials !== "perUser") return undefined;
  const { oauth, headers } = entry;
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization"))
    return '"perUser" cannot be combined with an Authorization header, which is the same for all users. Remove one of them';
  if (oauth === false)
    return '"perUser" needs a sign-in, which "oauth": false turns off. Remove one of them';
  if (oauth?.grant === "client_credentials")
    return '"perUser" cannot be combined with the grant "client_credentials", which has no user. Remove one of them';
  return undefined;
}
