import { createServer } from "node:http";

import { stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import type { Address } from "../../serve/http/address.ts";
import { listen } from "../../serve/http/listen.ts";
import { storedToken, tokenFromEnvironment } from "../../serve/http/token.ts";
import { isLoopback } from "../../text/loopback.ts";
import type { TokenSource } from "./http-notices.ts";

/** The file with the tokens that the owner has created for others. */
export { tokenFile } from "../../access/tokens/token-file.ts";

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
