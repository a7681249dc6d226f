import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { type Socket, createServer } from "node:net";

import { ensurePrivateDir } from "../config/directories.ts";
import { socketPath } from "../config/socket-path.ts";
import { reasonOf } from "../errors.ts";

/** Where a running workbench gives links to its dashboard. */
export interface LinkChannel {
  /** A socket, or a named pipe on Windows. */
  readonly socket: string;
  /** Sent first: on Windows, other users can connect to a pipe, but cannot read the file that names this. */
  readonly secret: string;
}

/** What is sent back, as JSON: a link to the dashboard, or why there is none. */
export type LinkAnswer = { readonly link: string } | { readonly error: string };

const ASK_MS = 5000;
const MAX_CHARS = 200;
const SECRET_BYTES = 32;

/**
 * Listens on a socket in a private folder. A program that sends the secret gets a link to the dashboard; so only programs of
 * the user can get one. Undefined if that does not work.
 */
export function openLinkChannel(
  folder: string,
  newLink: () => Promise<string>,
): Promise<LinkChannel | undefined> {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  return new Promise((resolve) => {
    try {
      ensurePrivateDir(folder);
      const socket = socketPath(folder, `${process.pid}-dashboard`);
      const server = createServer({ allowHalfOpen: true }, (client) =>
        answer(client, secret, newLink),
      );
      server.once("error", () => resolve(undefined));
      rmSync(socket, { force: true });
      server.listen(socket, () => resolve({ socket, secret }));
      server.unref();
      process.once("exit", () => rmSync(socket, { force: true }));
    } catch {
      resolve(undefined);
    }
  });
}

function answer(client: Socket, secret: string, newLink: () => Promise<string>): void {
  let received = "";
  client.setTimeout(ASK_MS, () => client.destroy());
  client.setEncoding("utf8");
  client.on("error", () => {});
  client.on("data", (text: string) => {
    received += text;
    if (received.length > MAX_CHARS) client.destroy();
    if (!received.includes("\n")) return;
    client.removeAllListeners("data");
    if (!isSame(received.trimEnd(), secret)) {
      client.destroy();
      return;
    }
    newLink().then(
      (link) => finish(client, { link }),
      (error: unknown) => finish(client, { error: reasonOf(error) }),
    );
  });
}

function finish(client: Socket, given: LinkAnswer): void {
  client.end(JSON.stringify(given));
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(a), digest(b));
}
