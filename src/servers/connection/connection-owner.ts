import type { ServerSettings } from "../../config/types.ts";
import type { Call } from "../../calls/call.ts";
import type { CallTarget } from "../../calls/destination.ts";
import type { IncomingNotification, IncomingRequest } from "../../wire/messages.ts";
import type { Host } from "../host.ts";
import type { ServerFailures } from "../server-failures.ts";
import type { ServerAuthorization } from "../server-authorization.ts";
import type { RememberedServer } from "../server-memory.ts";

/** What a connection needs to know about its server; settings may change while it is open. */
export interface ConnectionOwner {
  readonly settings: ServerSettings;
  readonly host: Host;
  readonly failures: ServerFailures;
  /** Undefined if the server can have no sign-in. */
  readonly signIn?: ServerAuthorization | undefined;
}

/** A server with connections, as everything around them sees it. */
export interface ConnectedServer extends ConnectionOwner, CallTarget, RememberedServer {
  readonly settings: ServerSettings;
  signIn?: ServerAuthorization | undefined;
  readonly connections: { onSignedIn(): void };
  /** False if another replica runs it, or may start to. */
  readonly isHere?: boolean;
}

/** Passes the server's own messages to the owner of the connection. */
export interface ConnectionEvents {
  /** `about` is the call on whose stream the message came, if known. */
  onNotification(notification: IncomingNotification, about: Call | undefined): void;
  onRequest(request: IncomingRequest, about: Call | undefined): void;
  onLost(reason: string, code: string | undefined): void;
}
