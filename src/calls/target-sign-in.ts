import type { SignInUser } from "../config/types.ts";
import type { PendingLogin } from "../sign-in/types.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { ServerRef } from "./identifier.ts";

/** The sign-in of a server, as calls see it. */
export interface TargetSignIn {
  readonly place: ServerRef;
  /** Whose sign-in it is, if each user has their own. */
  readonly user: SignInUser | undefined;
  /** Where the server is, for the user: scheme, host and port. */
  readonly origin: string;
  /** Whether a browser can sign in; some servers are configured otherwise. */
  readonly usesBrowser: boolean;
  /** The configured redirect URI, if any. */
  readonly redirectUri: string | undefined;
  beginLogin(redirectUri: string): Promise<PendingLogin>;
  /** Resolves when the user has signed in, at once if no sign-in is needed; rejects when it is aborted. */
  whenSignedIn(signal: AbortSignal): Promise<void>;
  /** The challenge in a result that says that the call was not executed. */
  challengeIn(response: ServerResponse): string | undefined;
  /**
   * The server has answered a call with a challenge instead of executing it. Resolves if the call can
   * be sent again; rejects with the error for its caller.
   */
  answerResult(header: string, credential: unknown): Promise<void>;
  /** The server has answered a call, sent with this credential, without a challenge. */
  onResult(credential: unknown): void;
}
