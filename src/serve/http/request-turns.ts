import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";
import type { Socket } from "node:net";

import { FairTurns } from "./fair-turns.ts";

/** Clients wait for an answer before they use a connection again; a flood does not. */
const MAX_PER_CONNECTION = 100;

type Handle = (request: IncomingMessage, response: HttpResponse) => void;

/**
 * Handles requests fairly. One chunk can hold a thousand of them, so a connection with too many
 * requests that have no answer yet is closed.
 */
export function inTurns(handle: Handle): Handle {
  const turns = new FairTurns();
  const open = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (open.get(socket) ?? 0) + 1;
    if (socket.destroyed || count > MAX_PER_CONNECTION) {
      socket.destroy();
      return;
    }
    open.set(socket, count);
    response.on("close", () => open.set(socket, (open.get(socket) ?? 1) - 1));
    turns.run(socket, () => {
      if (!response.destroyed) handle(request, response);
    });
  };
}
