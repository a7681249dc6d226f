import { reasonOf } from "../../errors.ts";
import { type Peer, type PeerClient, QUESTION_PATH, answerIn } from "./peer-client.ts";
import { MOVED_HEADER, NOT_HERE } from "./replica-header.ts";

/** Longer than a busy machine needs. */
const MAX_MS = 10_000;
const MAX_CHARS = 4096;
/** No session has it. */
const NO_SESSION = "-";

/** Why a replica is not found at its address; undefined if it answers there. */
export function problemAt(peers: PeerClient, peer: Peer): Promise<string | undefined> {
  const path = QUESTION_PATH + NO_SESSION;
  return new Promise((resolve) => {
    const asked = peers.request(peer, { path, sessionId: "", method: "GET" });
    const end = (problem: string | undefined): void => {
      clearTimeout(timer);
      resolve(problem);
      asked.destroy();
    };
    const timer = setTimeout(
      () => end(`there is no answer within ${MAX_MS / 1000} seconds`),
      MAX_MS,
    ).unref();
    asked.on("error", (error) => end(reasonOf(error)));
    asked.on("response", (response) => {
      const { statusCode, headers } = response;
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (text.length <= MAX_CHARS) text += chunk;
      });
      response.on("error", (error) => end(reasonOf(error)));
      response.on("end", () => {
        if (headers[MOVED_HEADER] === NOT_HERE) end("another replica answers there");
        else if (answerIn(text) !== undefined) end(undefined);
        else
          end(
            `what answers there (HTTP ${statusCode}) is not a replica with the same keys and the same time`,
          );
      });
    });
    asked.end();
  });
}
