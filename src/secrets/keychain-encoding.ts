const ENCODED = "base64:";

/**
 * A secret as it is stored in a keychain: as it is if it is one line of ASCII, which every program
 * returns unchanged, and in base64 otherwise.
 */
export function encodeSecret(value: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(value) && !value.startsWith(ENCODED);
  return isPlain ? value : ENCODED + Buffer.from(value).toString("base64");
}

/** The secret; programs may add a line break. */
export function decodeSecret(stored: string): string {
  const text = stored.replace(/\r?\n$/, "");
  if (!text.startsWith(ENCODED)) return text;
  return Buffer.from(text.slice(ENCODED.length), "base64").toString();
}
