/** A sign-in whose credential the test decides about. */
import { SignInNeeded } from "../../src/sign-in/sign-in-errors.ts";
import type {
  AuthChallenge,
  AuthStatus,
  BearerToken,
  PendingLogin,
  SignIn,
} from "../../src/sign-in/types.ts";

export function authStatus(state: AuthStatus["state"] = "needs-login"): AuthStatus {
  return {
    kind: "oauth",
    state,
    account: "default",
    issuer: null,
    scope: null,
    expiresAt: null,
    refreshable: false,
    login: "mcp-workbench login dev/fx",
    reason: null,
  };
}

export class FakeSignIn implements SignIn {
  status = authStatus();
  isInUse = false;
  /** What the next requests are sent with. */
  current: BearerToken | undefined;
  /** What answers a challenge: a token, or an error. */
  next: BearerToken | Error = new SignInNeeded(this.status);
  /** What answers the first challenges, before `next` does. */
  readonly first: BearerToken[] = [];
  readonly challenges: AuthChallenge[] = [];
  readonly logins: string[] = [];
  /** The kind of request that has to be accepted before the token counts again. */
  rejectedRequest = "tools/call";
  readonly #listeners = new Set<() => void>();

  async token(): Promise<BearerToken | undefined> {
    return this.current;
  }

  async answer(challenge: AuthChallenge): Promise<BearerToken> {
    this.challenges.push(challenge);
    this.isInUse = true;
    const answer = this.first.shift() ?? this.next;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  onAccepted(_token: BearerToken, request: string): void {
    if (request === this.rejectedRequest) this.change("signed-in");
  }

  async beginLogin(redirectUri: string): Promise<PendingLogin> {
    this.logins.push(redirectUri);
    return { url: "https://as.example/authorize", state: "s", finish: async () => this.signIn() };
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** The user signs in, here or in another process. */
  signIn(): void {
    this.current = { header: "Bearer new", generation: 2 };
    this.next = this.current;
    this.change("signed-in");
  }

  /** The credential changes. */
  change(state: AuthStatus["state"]): void {
    this.status = authStatus(state);
    for (const listener of this.#listeners) listener();
  }
}
