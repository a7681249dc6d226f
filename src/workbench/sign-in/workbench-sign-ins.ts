import { existsSync } from "node:fs";
import { join } from "node:path";

import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import { type NeededSignIn, neededSignIn } from "../../calls/sign-in-error.ts";
import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { stateDir } from "../../config/directories.ts";
import type { CredentialMode } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import type { SignInSource } from "../../servers/host.ts";
import type { SignIn, SignInServer } from "../../sign-in/types.ts";
import type { SignInPrompts } from "./sign-in-prompts.ts";

/** The sign-ins of a process, such as `openSignIns` returns them. */
export interface LoadedSignIns {
  of(server: SignInServer): SignIn;
  close(): Promise<void>;
}

export interface SignInHost {
  readonly log: Logger;
  readonly redactValues: (values: readonly string[]) => void;
  /** False if clients over HTTP may be on other machines, where our links lead nowhere. */
  readonly areClientsLocal: boolean;
  /** How tokens are stored from now on. */
  readonly credentials: () => CredentialMode;
}

/** Loads the sign-ins when a server needs one: there is a credential for it, or it asks for one. */
export class WorkbenchSignIns implements SignInSource {
  readonly #host: SignInHost;
  #loading: Promise<LoadedSignIns> | undefined;
  #prompts: Promise<SignInPrompts> | undefined;

  constructor(host: SignInHost) {
    this.#host = host;
  }

  async hasCredential({ url, oauth }: SignInServer): Promise<boolean> {
    const folder = join(stateDir(), "credentials");
    if (!existsSync(folder)) return false;
    const { credentialFileName, credentialId } = await import("../../credentials/credential-id.ts");
    return existsSync(join(folder, credentialFileName(credentialId(url, oauth.account))));
  }

  async of(server: SignInServer): Promise<SignIn> {
    this.#loading ??= this.#load();
    return (await this.#loading).of(server);
  }

  async handle(call: ClientCall, needed: NeededSignIn): Promise<Outcome | undefined> {
    return (await this.#loadPrompts()).handle(call, needed);
  }

  async withLink(
    error: unknown,
    client: Principal,
    signIn: TargetSignIn | undefined,
  ): Promise<unknown> {
    const needed = neededSignIn(error);
    return needed ? (await this.#loadPrompts()).withLink(needed, client, signIn) : error;
  }

  async loginLink(signIn: TargetSignIn): Promise<string | undefined> {
    return (await this.#loadPrompts()).loginLink(signIn);
  }

  /**
   * Stops watching what is stored, and ends logins that are under way. Resolves when no token is about to be
   * stored.
   */
  async close(): Promise<void> {
    void this.#prompts?.then((prompts) => prompts.close());
    await this.#loading?.then(
      (signIns) => signIns.close(),
      () => {},
    );
  }

  async #load(): Promise<LoadedSignIns> {
    const { openSignIns } = await import("./open-sign-ins.ts");
    return openSignIns(this.#host.credentials, this.#host);
  }

  #loadPrompts(): Promise<SignInPrompts> {
    this.#prompts ??= import("./sign-in-prompts.ts").then(
      ({ SignInPrompts }) =>
        new SignInPrompts({
          log: this.#host.log,
          // The command line and the library have a user who can run a command. A sign-in is used
          // for all clients, so only the owner may choose the account.
          offersLinks: ({ kind }) =>
            kind === "stdio" || (kind === "owner" && this.#host.areClientsLocal),
        }),
    );
    return this.#prompts;
  }
}
