import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const CIPHER = "aes-256-gcm";
const VERSION = 1;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES + TAG_BYTES;

interface KeyPair {
  readonly sealing: Buffer;
  readonly signing: Buffer;
}

/**
 * The keys of a cluster: the first seals and signs, all open and verify. The purpose is part of what is sealed, so that a
 * text sealed for one cannot be used for another.
 */
export class Keyring {
  readonly #first: KeyPair;
  readonly #pairs: readonly KeyPair[];

  /** @param keys 32 bytes each, in base64 */
  constructor(keys: readonly string[]) {
    this.#pairs = keys.map((text) => {
      const key = Buffer.from(text, "base64");
      return { sealing: derive(key, "seal"), signing: derive(key, "sign") };
    });
    const [first] = this.#pairs;
    if (first === undefined) throw new Error("a cluster needs a key");
    this.#first = first;
  }

  /** Encrypts a text for a purpose; the result is base64url. */
  seal(text: string, purpose: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#first.sealing, iv).setAAD(Buffer.from(purpose));
    const sealed = [cipher.update(text, "utf8"), cipher.final()];
    return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), ...sealed]).toString(
      "base64url",
    );
  }

  /** The text that was sealed for this purpose; undefined for anything else. */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES) return undefined;
    // Other spellings of the same bytes are not accepted.
    if (bytes.toString("base64url") !== sealed) return undefined;
    for (const { sealing } of this.#pairs) {
      const opened = openWith(sealing, bytes, purpose);
      if (opened !== undefined) return opened;
    }
    return undefined;
  }

  /** Whether the first key has sealed it. */
  isCurrent(sealed: string, purpose: string): boolean {
    const bytes = Buffer.from(sealed, "base64url");
    return (
      bytes.length >= HEAD_BYTES && openWith(this.#first.sealing, bytes, purpose) !== undefined
    );
  }

  /** A code that only a replica can make, in base64url. */
  sign(text: string, purpose: string): string {
    return mac(this.#first, text, purpose).toString("base64url");
  }

  /** The codes that replicas make for a text while the key is replaced; the first one is that of this replica. */
  codes(text: string, purpose: string): string[] {
    return this.#pairs.map((pair) => mac(pair, text, purpose).toString("base64url"));
  }

  verify(signature: string, text: string, purpose: string): boolean {
    const given = Buffer.from(signature, "base64url");
    return this.#pairs.some((pair) => {
      const expected = mac(pair, text, purpose);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function openWith(key: Buffer, bytes: Buffer, purpose: string): string | undefined {
  const iv = bytes.subarray(1, 1 + IV_BYTES);
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(1 + IV_BYTES, HEAD_BYTES));
  try {
    const text = [decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()];
    return Buffer.concat(text).toString("utf8");
  } catch {
    return undefined;
  }
}

function mac({ signing }: KeyPair, text: string, purpose: string): Buffer {
  // A length in front, so that the purpose and the text cannot be divided differently.
  return createHmac("sha256", signing).update(`${purpose.length}:${purpose}${text}`).digest();
}

function derive(key: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", `mcp-workbench cluster ${use}`, KEY_BYTES));
}
