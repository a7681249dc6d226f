import type { CredentialStore } from "../../credentials/types.ts";
import type { SignInControl } from "../../sign-in/types.ts";
import type { Context } from "../core/command.ts";
import type { RemoteServer } from "./remote-server.ts";

/** Reports a login, how long it lasts, and how it is stored. */
export async function reportSignedIn(
  { out }: Pick<Context, "out">,
  { label }: Pick<RemoteServer, "label">,
  signIn: SignInControl,
  store: Pick<CredentialStore, "protection">,
): Promise<void> {
  const { account, user, expiresAt, refreshable } = signIn.status;
  out.document({ event: "signed-in", server: label, account, user, expiresAt });
  const { bold, green } = out.noteStyle;
  const who = account === "default" ? "" : ` (account ${account})`;
  const whose = user === undefined ? "" : ` for the user ${user}`;
  out.say(
    `${green("✓")} Signed in to ${bold(label)}${who}${whose}. Running workbenches use it at once.`,
  );
  if (!refreshable) out.say(lifetimeText(expiresAt));
  const { kind, reason } = await store.protection();
  if (kind === "file" && reason !== undefined)
    out.say(`The tokens are stored in a file that only you can read, not encrypted: ${reason}.`);
}

function lifetimeText(expiresAt: string | null): string {
  const cause = "there is no refresh token that can be used";
  if (expiresAt === null) return `It lasts until the server ends it: ${cause}.`;
  return `You have to sign in again after ${expiresAt}: ${cause}. Some issue one only if asked, see "authorizationParams" in docs/sign-in.md.`;
}
