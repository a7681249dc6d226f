import { type NeededSignIn, neededSignIn } from "../../calls/sign-in-error.ts";
import type { WorkbenchError } from "../../errors.ts";
import type { OpenResult } from "../../toolboxes/open.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";
import { unreachable } from "../../workbench/meta-tools/open-toolbox.ts";
import type { ServedClient } from "../served-client.ts";

/**
 * Connects the servers of a toolbox for a client; an error if none can be reached. If a sign-in would
 * help, the user is asked for the first: with another server, the client can continue without it.
 */
export async function connectToolbox(
  client: ServedClient,
  toolbox: ToolboxView,
): Promise<OpenResult | WorkbenchError> {
  let needed: NeededSignIn | undefined;
  const opened = await toolbox.open(
    (server) => client.awaitConnection(server),
    async (error, { host, signIn }) => {
      if (neededSignIn(error) === undefined) return error;
      const signIns = await host.signIns?.load();
      const explained = (await signIns?.withLink(error, client.principal, signIn)) ?? error;
      const sought = neededSignIn(explained);
      if (sought !== undefined) needed ??= { ...sought, signIn };
      return explained;
    },
  );
  return unreachable(toolbox, opened, needed) ?? opened;
}
