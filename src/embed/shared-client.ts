import type { Socket } from "node:net";

import { workbenchError } from "../errors.ts";
import { readTag } from "../serve/shared/line-tags.ts";
import { LineReader } from "../wire/lines.ts";
import { errorText, notificationText } from "../wire/messages.ts";
import {
  type ClientHandlers,
  EmbeddedClient,
  type EmbeddedSession,
  type OpenSession,
} from "./embedded-client.ts";

/** A client of a shared workbench in another process, over a connection to it. */
export class SharedClient extends EmbeddedClient {
  constructor(socket: Socket, handlers: ClientHandlers = {}) {
    super(sessionOver(socket), handlers);
  }
}

function sessionOver(socket: Socket): OpenSession {
  return (output): EmbeddedSession => {
    const open = new Set<string>();
    const lines = new LineReader(Infinity, {
      line: (line) => {
        const bytes = Buffer.concat(line.parts);
        const tag = readTag(bytes);
        if (tag === undefined || tag.kind === "control") return;
        const message = bytes.toString("utf8", tag.bytes);
        if (tag.kind !== "answer") output.send(message, undefined);
        else if (open.delete(tag.idText)) output.reply(tag.idText, message);
      },
      oversized: () => {},
    });
    socket.on("data", (chunk: Buffer) => lines.push(chunk));
    socket.on("close", () => {
      const { rpcError } = workbenchError("CUT_OFF", {});
      for (const idText of open) output.reply(idText, errorText(idText, rpcError));
      open.clear();
    });
    socket.resume();
    const write = (text: string): void => void socket.write(`${text}\n`);
    return {
      call: ({ idText, text }) => {
        open.add(idText);
        write(text);
      },
      notification: ({ method, params }) => write(notificationText(method, params)),
      response: (_response, text) => write(text),
      close: () => socket.destroy(),
    };
  };
}
