import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { openPlace } from "../../cluster/replica-place.ts";
import { workbenchError } from "../../errors.ts";
import { placeOfLogin } from "../../sign-in/public-logins.ts";
import { readSmallBody } from "../../sign-in/small-form.ts";
import { refuse } from "../http/http-responses.ts";
import { forward } from "./forward.ts";
import { PeerClient } from "./peer-client.ts";
import { replicaRequest } from "./replica-header.ts";

/**
 * Passes a request about a login on to the replica where the login began; false if that is this one, or none is named. Only
 * replicas can name one, so a browser cannot choose where the request goes.
 */
export async function forwardLogin(
  link: ClusterLink,
  request: IncomingMessage,
  response: HttpResponse,
): Promise<boolean> {
  const sealed = placeOfLogin(request);
  const peer = sealed === undefined ? undefined : openPlace(link, sealed);
  if (peer === undefined || peer.id === link.replica) return false;
  // One hop: a replica that gets it by mistake has no such login.
  if (replicaRequest(link, request) !== undefined) return false;
  const body = request.method === "POST" ? await readSmallBody(request) : undefined;
  // People sign in so seldom that a connection is not worth keeping.
  const peers = new PeerClient(link);
  const outcome = await forward(peers, peer, request, response, { body, onStarted: () => {} });
  peers.close();
  const reason = "the replica at which the sign-in began has ended";
  if (outcome !== "answered") refuse(response, workbenchError("REPLICAS_UNREACHABLE", { reason }));
  return true;
}
