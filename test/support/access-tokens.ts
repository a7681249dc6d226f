/** Access tokens for a workbench that a test has started. */
import { join } from "node:path";
import {
  createToken,
  type NewToken,
  revokeToken,
  rotateToken,
} from "../../src/access/tokens/manage-tokens.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpWorkbench } from "./http-workbench.ts";
import type { Place } from "./workbench.ts";

/** Where the program keeps the tokens of this place. */
export function accessTokenFile({ env }: Pick<Place, "env">): string {
  return join(env["XDG_STATE_HOME"] ?? "", "mcp-workbench", "tokens.json");
}

/** Creates a token and returns it; without limits it may use everything. */
export async function addToken(
  place: Pick<Place, "env">,
  name: string,
  limits: Partial<NewToken> = {},
): Promise<string> {
  const all = { toolboxes: [], servers: [], readOnly: false };
  const { token } = await createToken(accessTokenFile(place), { ...all, ...limits, name });
  return token;
}

export async function removeToken(place: Pick<Place, "env">, name: string): Promise<void> {
  await revokeToken(accessTokenFile(place), name);
}

export async function replaceToken(place: Pick<Place, "env">, name: string): Promise<string> {
  return (await rotateToken(accessTokenFile(place), name)).token;
}

/** A client that uses this token. */
export function clientWith(workbench: HttpWorkbench, token: string, path = "/mcp"): HttpClient {
  return new HttpClient(`${workbench.url}${path}`, token);
}
