import { createServer } from "node:http";

import { stateFile } from "../../access/shared-files.ts";
import type { StateFile } from "../../access/state-file.ts";
import { tokenFile } from "../../access/tokens/token-file.ts";
import type { HttpSettings } from "../../config/types.ts";
import { stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import type { Address } from "../../serve/http/address.ts";
import { listen } from "../../serve/http/listen.ts";
import { storedToken, tokenFromEnvironment } from "../../serve/http/token.ts";
import { isLoopback } from "../../text/loopback.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { TokenSource } from "./http-notices.ts";

/** The file with the tokens that the owner has created for others; shared with other replicas. */
export function sharedTokenFile({ host }: Workbench): StateFile {
  return stateFile(tokenFile(), "tokens", host.cluster, (problem) => host.log.error(problem));
}

/** What clients must send, and what to print about it. */
export interface HttpToken {
  readonly token: string;
  readonly source: TokenSource;
}

/** Throws if the workbench must not be served without a token. */
export function checkNoToken({ host }: Address, variable: string | undefined): void {
  if (variable !== undefined)
    throw workbenchError("USAGE", { reason: "--no-auth and --token-env cannot be combined" });
  if (isLoopback(host)) return;
  const reason = `--no-auth would open your toolboxes to anyone who can reach ${host}`;
  throw workbenchError(
    "USAGE",
    { reason },
    "It works only on loopback addresses such as 127.0.0.1",
  );
}

/** Throws if users have to sign in, but anyone could leave that out. */
export function checkNoProvider({ oauth }: HttpSettings): void {
  if (oauth === undefined) return;
  const reason = "--no-auth cannot be combined with http.oauth in the configuration";
  throw workbenchError("USAGE", { reason }, "Leave out one of them");
}

/** The token in a variable, which is removed, so that neither the configuration nor a server sees it. */
export function tokenInVariable(variable: string): HttpToken {
  return { token: tokenFromEnvironment(variable), source: { variable } };
}

/**
 * The user's own token, created if there is none yet. A new token is shown once, so nothing is
 * created if the workbench cannot listen, for example because the port is in use.
 */
export async function ownToken(address: Address): Promise<HttpToken> {
  const server = createServer();
  await listen(server, address);
  await new Promise((resolve) => server.close(resolve));
  const { token, file, created } = await storedToken(stateDir());
  // The standard error of a service ends up in a log that others may read.
  const isShown = created && process.stderr.isTTY;
  return { token, source: { file, token: isShown ? token : undefined } };
}
