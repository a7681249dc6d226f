import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** The first word on a connection; differs if the messages between both sides change. */
export const PROTOCOL = "mcp-workbench-shared/1";

const NONCE = /^[0-9a-f]{32}$/;

export function newNonce(): string {
  return randomBytes(16).toString("hex");
}

export function newSecret(): string {
  return randomBytes(32).toString("hex");
}

/** Says whether two sides have read the same configuration. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface Nonces {
  readonly client: string;
  readonly server: string;
}

/** What only a side that knows the secret can say, once. The secret itself is never sent. */
export function proofOf(secret: string, side: "client" | "server", nonces: Nonces): string {
  const said = `${PROTOCOL} ${side} ${nonces.client} ${nonces.server}`;
  return createHmac("sha256", secret).update(said).digest("hex");
}

export function isProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The nonce in the first line of a client; undefined if it speaks another protocol. */
export function nonceIn(greeting: string): string | undefined {
  const [protocol, nonce = ""] = greeting.split(" ");
  return protocol === PROTOCOL && NONCE.test(nonce) ? nonce : undefined;
}
