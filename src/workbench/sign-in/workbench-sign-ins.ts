import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import { type NeededSignIn, neededSignIn } from "../../calls/sign-in-error.ts";
import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { OWNER_USER } from "../../config/per-user.ts";
import { stateDir } from "../../config/directories.ts";
import type { CredentialMode, WorkbenchSettings } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import type { Host, SignInSource } from "../../servers/host.ts";
import type { SignIn, SignInServer } from "../../sign-in/types.ts";
import type { LinkPlace, SignInPrompts } from "./sign-in-prompts.ts";

type ClusterLink = NonNullable<Host["cluster"]>;
type UsedSettings = Pick<WorkbenchSettings, "cluster" | "credentials">;

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
  /** Where browsers on other machines reach the workbench, without a path; undefined if that is not known. */
  readonly publicAddress: (() => string | undefined) | undefined;
  /** The other replicas, if this process is one of them. */
  readonly cluster?: Host["cluster"] | undefined;
}

/** Loads the sign-ins when a server needs one: there is a credential for it, or it asks for one. */
export class WorkbenchSignIns implements SignInSource {
  readonly #host: SignInHost;
  readonly #settings: () => UsedSettings;
  #loading: Promise<LoadedSignIns> | undefined;
  #ownLink: ClusterLink | undefined;
  #prompts: Promise<SignInPrompts> | undefined;

  /**
   * @param settings those in force: how tokens are stored, and the cluster; replicas share the sign-ins with every process
   *   that uses their configuration, such as a command
   */
  constructor(host: SignInHost, settings: () => UsedSettings) {
    this.#host = host;
    this.#settings = settings;
  }

  async hasCredential({ url, oauth }: SignInServer): Promise<boolean> {
    // Another replica may have one.
    if ((this.#host.cluster ?? this.#settings().cluster) !== undefined) return true;
    const folder = join(stateDir(), "credentials");
    if (!existsSync(folder)) return false;
    const { credentialFileName, credentialId } = await import("../../credentials/credential-id.ts");
    const id = credentialId(url, oauth.account, oauth.user);
    return existsSync(join(folder, credentialFileName(id)));
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
    void this.#ownLink?.close();
  }

  /** Answers a browser; false if no link was ever made. */
  async answerBrowser(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (this.#prompts === undefined) return false;
    await (await this.#prompts).answerBrowser(request, response);
    return true;
  }

  /**
   * The command line and the library have a user who can run a command. A sign-in that is used for all clients is
   * chosen by the owner only; any other belongs to the user who asks for it.
   */
  #placeOfLinks({ kind, id }: Principal, { user }: TargetSignIn): LinkPlace | undefined {
    if (kind === "stdio") return "local";
    if (kind === "owner" && this.#host.areClientsLocal) return "local";
    if (kind === "owner") return user?.id === OWNER_USER.id ? "public" : undefined;
    return kind !== "local" && user?.id === id ? "public" : undefined;
  }

  async #load(): Promise<LoadedSignIns> {
    const { openSignIns } = await import("./open-sign-ins.ts");
    const { log, redactValues } = this.#host;
    const mode = (): CredentialMode => this.#settings().credentials;
    return openSignIns(mode, { log, redactValues, cluster: await this.#link() });
  }

  /** Without it, a refresh here would end the sign-in of the replicas: many refresh tokens can be used once. */
  async #link(): Promise<ClusterLink | undefined> {
    const { cluster, log } = this.#host;
    const settings = this.#settings().cluster;
    if (cluster !== undefined || settings === undefined) return cluster;
    const { openClusterLink } = await import("../../cluster/redis-link.ts");
    this.#ownLink = openClusterLink(settings, "command", log);
    await this.#ownLink.started;
    return this.#ownLink;
  }

  #loadPrompts(): Promise<SignInPrompts> {
    this.#prompts ??= import("./sign-in-prompts.ts").then(
      ({ SignInPrompts }) =>
        new SignInPrompts({
          log: this.#host.log,
          publicAddress: () => this.#host.publicAddress?.(),
          cluster: this.#host.cluster,
          placeOfLinks: (principal, signIn) => this.#placeOfLinks(principal, signIn),
        }),
    );
    return this.#prompts;
  }
}
