import type { RemoteTransport, WorkbenchSettings } from "../../config/types.ts";
import { openSharedStore } from "../../credentials/shared-store.ts";
import type { CredentialStore } from "../../credentials/types.ts";
import { NO_LOG } from "../../log.ts";
import { createSignIns } from "../../sign-in/sign-ins.ts";
import { Guard } from "../../servers/transport/stdio/guard.ts";
import type { SignInControl, SignInTarget } from "../../sign-in/types.ts";
import { HostSecrets } from "../../workbench/host-secrets.ts";
import { withLink } from "../core/cluster.ts";
import type { Context } from "../core/command.ts";
import type { RemoteServer } from "./remote-server.ts";

type SignedInServer = Pick<RemoteServer, "transport" | "oauth" | "place" | "settings">;

export interface UsedSignIns {
  readonly store: CredentialStore;
  of(server: SignedInServer): SignInControl;
  /** How to reach a server, with the values of its secrets. */
  transportOf(server: SignedInServer): Promise<RemoteTransport>;
}

/** Runs some work with the stored sign-ins. Every token is removed from the output. */
export function withSignIns<T>(
  context: Pick<Context, "out" | "env" | "finishFirst">,
  { credentials, cluster }: Pick<WorkbenchSettings, "credentials" | "cluster">,
  work: (signIns: UsedSignIns) => Promise<T>,
): Promise<T> {
  const { out, env } = context;
  const report = (problem: string): void => out.warn(problem);
  return withLink(context, cluster, (link) =>
    withStore(context, openSharedStore({ mode: credentials, env }, link, report), work),
  );
}

async function withStore<T>(
  { out, finishFirst }: Pick<Context, "out" | "finishFirst">,
  store: CredentialStore,
  work: (signIns: UsedSignIns) => Promise<T>,
): Promise<T> {
  const redactValues = (values: readonly string[]): void => out.hide(values);
  // Commands report problems themselves, so nothing is logged.
  const signIns = createSignIns({ store, log: NO_LOG, redactValues });
  finishFirst(() => signIns.close());
  const secrets = new HostSecrets({ log: NO_LOG, guard: new Guard() }, redactValues);
  const transportOf = async ({ transport, settings }: SignedInServer): Promise<RemoteTransport> => {
    if (settings === undefined || settings.secretTexts.length === 0) return transport;
    return (await secrets.resolve(settings)).transport as RemoteTransport;
  };
  const of = (server: SignedInServer): SignInControl => {
    const { transport, oauth, place } = server;
    const withSecrets = async (): Promise<SignInTarget> => {
      const { url, oauth: resolved } = await transportOf(server);
      // The command line may choose the grant.
      return { url, oauth: { ...oauth, ...resolved, grant: oauth.grant } };
    };
    return signIns.of({ url: transport.url, oauth, place, withSecrets });
  };
  try {
    return await work({ store, of, transportOf });
  } finally {
    // Secrets last: a refresh may need them.
    await signIns.close();
    secrets.close();
  }
}
