import type { BearerToken, SignIn } from "../../sign-in/types.ts";

/** Authorizes the requests to one server, whatever connection they are made for. */
export interface Authorization extends Pick<SignIn, "isInUse" | "token" | "answer"> {
  /** Whether the configuration says how to sign in, so that no challenge has to say that it is possible. */
  readonly isConfigured: boolean;
  /** A request was accepted with this token; what was requested is computed only if it matters. */
  onAccepted(token: BearerToken, request: () => string): void;
}
