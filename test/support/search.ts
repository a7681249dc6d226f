/** Searches that do not depend on how long the servers take to start. */
import { type Requests, searchTools } from "./calls.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS, type Params } from "./raw-client.ts";

/** Repeats a search, as its answer advises, until no server is still starting. */
export function searchAllServers(
  client: Requests,
  query: string,
  more: Params = {},
): Promise<string> {
  return waitFor(
    async () => {
      const answer = await searchTools(client, query, more);
      return !answer.includes("still starting") && answer;
    },
    GENEROUS_MS,
    "every server to be searched",
  );
}
