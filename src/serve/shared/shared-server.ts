import { chmodSync } from "node:fs";
import { type Server, type Socket, createServer } from "node:net";

import { ANSWER_MS, type Hello, MAX_HELLO_BYTES, type Welcome, helloIn } from "./hello.ts";
import { isProof, newNonce, nonceIn, proofOf } from "./proof.ts";
import { readLine } from "./read-line.ts";
import type { SharedRecord } from "./rendezvous.ts";

/** Only this user may connect. */
const PRIVATE_UMASK = 0o177;
const MAX_GREETING_BYTES = 256;

/** Takes a client that has proved to know the secret; its answer is sent to the client. */
export type OnHello = (hello: Hello, socket: Socket) => Promise<Welcome>;

/** Listens at the socket of a record, and lets in who knows its secret. */
export class SharedServer {
  readonly #record: SharedRecord;
  readonly #onHello: OnHello;
  readonly #server: Server;

  constructor(record: SharedRecord, onHello: OnHello) {
    this.#record = record;
    this.#onHello = onHello;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#accept(socket));
  }

  listen(): Promise<void> {
    const { socket } = this.#record;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      // The socket is created in this call; servers are started with the usual mask.
      const before = process.platform === "win32" ? undefined : process.umask(PRIVATE_UMASK);
      try {
        this.#server.listen(socket, () => {
          try {
            if (process.platform !== "win32") chmodSync(socket, 0o600);
          } catch (error) {
            reject(error);
            return;
          }
          this.#server.off("error", reject);
          // Too many open files, for example: the next client may succeed.
          this.#server.on("error", () => {});
          resolve();
        });
      } finally {
        if (before !== undefined) process.umask(before);
      }
    });
  }

  /** Accepts no more clients; those that are connected stay. */
  close(): void {
    this.#server.close();
  }

  async #accept(socket: Socket): Promise<void> {
    socket.on("error", () => {});
    try {
      const hello = await this.#authenticated(socket);
      const welcome = await this.#onHello(hello, socket);
      if (welcome.ok) return;
      socket.end(`${JSON.stringify(welcome)}\n`);
    } catch {
      // It gets no reason: it is not known who it is.
      socket.destroy();
    }
  }

  async #authenticated(socket: Socket): Promise<Hello> {
    const { secret } = this.#record;
    const client = nonceIn(await readLine(socket, MAX_GREETING_BYTES, ANSWER_MS));
    if (client === undefined) throw new Error("another protocol");
    const nonces = { client, server: newNonce() };
    socket.write(`${nonces.server} ${proofOf(secret, "server", nonces)}\n`);
    const said = helloIn(await readLine(socket, MAX_HELLO_BYTES, ANSWER_MS));
    if (said === undefined || !isProof(said.proof, proofOf(secret, "client", nonces)))
      throw new Error("not a client");
    return said.hello;
  }
}
