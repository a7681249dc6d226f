import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";

/**
 * Access tokens: `mwb_{id}_{secret}`. The id finds the token in the store; the secret has 256 random
 * bits, so a plain SHA-256 of the token is enough to check it and cannot be reversed.
 */
export const TOKEN_PREFIX = "mwb_";
const ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const ID_CHARS = 8;
const SECRET_BYTES = 32;
const TOKEN = /^mwb_([0-9a-z]{8})_[A-Za-z0-9_-]{43}$/;

export const TOKEN_ID = /^[0-9a-z]{8}$/;
export const TOKEN_HASH = /^sha256:[0-9a-f]{64}$/;

export function newTokenId(): string {
  const digits = Array.from({ length: ID_CHARS }, () => randomInt(ID_ALPHABET.length));
  return digits.map((digit) => ID_ALPHABET[digit]).join("");
}

/** A token for this id, with a new secret. */
export function newToken(id: string): string {
  return `${TOKEN_PREFIX}${id}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

/** The id in a token; undefined if this is not a token. */
export function tokenIdIn(text: string): string | undefined {
  return TOKEN.exec(text)?.[1];
}

export function tokenHash(token: string): string {
  return `sha256:${hash("sha256", token, "hex")}`;
}

/** Compares in a time that does not depend on where the hashes differ. */
export function isHashOf(stored: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(stored), Buffer.from(tokenHash(token)));
}
