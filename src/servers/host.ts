import type { Principal } from "../calls/principal.ts";
import type { TargetSignIn } from "../calls/target-sign-in.ts";
import type { ClusterLink } from "../cluster/cluster-link.ts";
import type { ServerSettings } from "../config/types.ts";
import { type Logger, NO_LOG } from "../log.ts";
import type { Redact } from "../secrets/redact.ts";
import type { SignIn, SignInServer } from "../sign-in/types.ts";
import type { PinSource } from "./definition-pins.ts";
import type { Channel, ChannelEvents } from "./transport/channel.ts";
import { Guard } from "./transport/stdio/guard.ts";
import { NO_MEMORY, type ServerMemory } from "./server-memory.ts";

/** The sign-ins of this user. Their code is loaded with the first remote server. */
export interface SignInLoader {
  load(): Promise<SignInSource>;
}

export interface SignInSource {
  /** Whether there may be a credential for a server; a quick check. */
  hasCredential(server: SignInServer): Promise<boolean>;
  /** The sign-in of a server. Servers with the same URL and account share the credential. */
  of(server: SignInServer): Promise<SignIn>;
  /** Adds a link to an error that asks for a sign-in, if the client can open one. */
  withLink(error: unknown, client: Principal, signIn: TargetSignIn | undefined): Promise<unknown>;
  /** A link of this machine with which its user signs in; undefined if a browser cannot. */
  loginLink(signIn: TargetSignIn): Promise<string | undefined>;
}

/** What all servers of a workbench share. */
export interface Host {
  /** The other replicas; undefined if this workbench is the only one. */
  readonly cluster?: ClusterLink | undefined;
  /** Decides with the replicas which process runs a server that must run once; commands have only this. */
  readonly placing?: (() => Promise<ClusterLink>) | undefined;
  readonly log: Logger;
  readonly redact: Redact;
  readonly guard: Guard;
  readonly memory: ServerMemory;
  /**
   * The settings with the values of their secrets, for a server that is about to be started or
   * signed in to. The values are hidden from now on. Rejects with the reason if a secret has no value.
   */
  readonly withSecrets: (
    settings: ServerSettings,
    use: "start" | "sign-in",
  ) => Promise<ServerSettings>;
  /** True if callers wait for a server that is being downloaded, instead of getting an error. */
  readonly waitsForDownloads: boolean;
  /** Opens the saved scripts in a folder; undefined if the workbench cannot run scripts. */
  readonly openScripts?:
    | ((
        folder: string,
        events: ChannelEvents,
        onProblem: (problem: string) => void,
      ) => Promise<Channel>)
    | undefined;
  /** Undefined if the workbench cannot sign in anywhere. */
  readonly signIns?: SignInLoader | undefined;
  /** Undefined if the workbench compares definitions with nothing. */
  readonly pins?: PinSource | undefined;
}

export function quietHost(): Host {
  return {
    log: NO_LOG,
    redact: (text) => text,
    guard: new Guard(),
    memory: NO_MEMORY,
    withSecrets: (settings) => Promise.resolve(settings),
    waitsForDownloads: false,
  };
}
