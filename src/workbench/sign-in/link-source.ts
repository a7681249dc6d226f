import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import type { LoginLink } from "../../sign-in/login-listener.ts";
import type { PendingLogin } from "../../sign-in/types.ts";

/** What answers browsers: on this machine, or at the address of the workbench. */
export interface LinkSource {
  /** Makes links for a sign-in; undefined if there is nothing to lead them to. */
  open(signIn: TargetSignIn): Promise<NewLink | undefined>;
  close(): void;
}

/** Makes a link; `begin` is called with the redirect URI when it is used. */
export type NewLink = (begin: (redirectUri: string) => Promise<PendingLogin>) => LoginLink;
