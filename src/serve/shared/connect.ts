import { type Socket, connect } from "node:net";

import { isObject, parseJson } from "../../text/json.ts";
import { ANSWER_MS, type Hello, type Welcome } from "./hello.ts";
import { PROTOCOL, isProof, newNonce, proofOf } from "./proof.ts";
import { readLine } from "./read-line.ts";
import type { SharedRecord } from "./rendezvous.ts";

/** Why there is no connection: nothing listens, it does not respond, or it refuses. */
export class NotShared extends Error {
  override readonly name = "NotShared";
  /** Whether another process may accept the client: this one is gone, or about to. */
  readonly mayRetry: boolean;

  constructor(reason: string, mayRetry: boolean) {
    super(reason);
    this.mayRetry = mayRetry;
  }
}

const MAX_LINE = 64 * 1024;

/**
 * Connects to a shared process. Nothing of the hello is sent before the process has proved that it
 * knows the secret. `answerMs` is for the answer to the hello. Rejects with `NotShared`.
 */
export async function connectTo(
  record: SharedRecord,
  hello: Hello,
  answerMs: number = ANSWER_MS,
): Promise<Socket> {
  const socket = await opened(record.socket);
  try {
    const client = newNonce();
    socket.write(`${PROTOCOL} ${client}\n`);
    const [server = "", proof = ""] = (await readLine(socket, MAX_LINE, ANSWER_MS)).split(" ");
    const nonces = { client, server };
    if (!isProof(proof, proofOf(record.secret, "server", nonces)))
      throw new NotShared("it does not know the secret", false);
    const known = { ...hello, proof: proofOf(record.secret, "client", nonces) };
    socket.write(`${JSON.stringify(known)}\n`);
    const welcome = welcomeIn(await readLine(socket, MAX_LINE, answerMs));
    if (!welcome.ok) throw new NotShared(welcome.reason, welcome.retry);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof NotShared) throw error;
    // It ended in the middle, or hangs.
    const reason = error instanceof Error ? error.message : String(error);
    throw new NotShared(reason, reason === "the connection was closed");
  }
}

function opened(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("error", (error) => reject(new NotShared(error.message, true)));
  });
}

function welcomeIn(text: string): Welcome {
  const value = parseJson(text);
  if (isObject(value) && value["ok"] === true) return { ok: true };
  const { reason = "it refused", retry = false } = isObject(value) ? value : {};
  return { ok: false, reason: String(reason), retry: retry === true };
}

/** Whether a process accepts connections at the socket of a record. */
export async function isListening({ socket }: SharedRecord): Promise<boolean> {
  try {
    (await opened(socket)).destroy();
    return true;
  } catch {
    return false;
  }
}
