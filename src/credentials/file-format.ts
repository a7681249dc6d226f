import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

import { asText, isObject, parseJson } from "../text/json.ts";

/** A key, and the name by which files refer to it. */
export interface EncryptionKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** What a file contains: a record in plain text, or one encrypted with the key of this id. */
export type FileContent =
  | { readonly kind: "plain"; readonly record: unknown }
  | { readonly kind: "encrypted"; readonly keyId: string; decrypt(key: EncryptionKey): unknown };

export const KEY_BYTES = 32;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

export function encryptionKey(bytes: Uint8Array): EncryptionKey {
  const hash = createHash("sha256").update("mcp-workbench credentials-key\n").update(bytes);
  return { id: hash.digest("hex").slice(0, 16), bytes };
}

export function plainText(record: object): string {
  return `${JSON.stringify({ version: VERSION, record }, null, 2)}\n`;
}

/** Binds the record to the name of its file: a copy under another name cannot be decrypted. */
export function encryptedText(record: object, name: string, key: EncryptionKey): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  const data = Buffer.concat([cipher.update(JSON.stringify(record), "utf8"), cipher.final()]);
  const content = {
    version: VERSION,
    cipher: CIPHER,
    key: key.id,
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    data: data.toString("base64"),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Reads the text of a file. Reasons of errors never contain parts of the text. */
export function parseFile(text: string, name: string): FileContent {
  const content = parseJson(text);
  if (!isObject(content)) throw new Error("it is damaged: it is not a JSON object");
  if (content["version"] !== VERSION) throw new Error("a newer version of the workbench wrote it");
  if (content["cipher"] === undefined) return { kind: "plain", record: content["record"] };
  if (content["cipher"] !== CIPHER) throw new Error("it is encrypted in an unknown way");
  const [nonce, tag, data] = ["nonce", "tag", "data"].map((member) =>
    Buffer.from(asText(content[member]), "base64"),
  ) as [Buffer, Buffer, Buffer];
  if (nonce.length !== NONCE_BYTES || tag.length !== TAG_BYTES)
    throw new Error("it is damaged: its encryption is incomplete");
  const decrypt = (key: EncryptionKey): unknown => {
    try {
      const decipher = createDecipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
      return parseJson(Buffer.concat([decipher.update(data), decipher.final()]).toString("utf8"));
    } catch {
      throw new Error("it is damaged: it was changed after it was encrypted");
    }
  };
  return { kind: "encrypted", keyId: asText(content["key"]), decrypt };
}
