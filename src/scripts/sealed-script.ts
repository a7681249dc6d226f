import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

import { reasonOf } from "../errors.ts";
import type { SuspendedScript } from "./script-run.ts";

/** First bytes of a sealed script, with the version of the format. */
const MAGIC = Buffer.from("MWSCRIPT1");
/** The memory of an engine is valid only for exactly this one. */
const ENGINE = "quickjs-wasi 3.6.2";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Larger than the memory, the media and the output of any script. */
const MAX_BYTES = 1536 * 1024 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * A suspended script as bytes, compressed and encrypted with a key of 32 bytes: it contains what
 * tools have returned. Any process with the key and the same version of the engine can continue it.
 */
export async function sealScript(script: SuspendedScript, key: Buffer): Promise<Buffer> {
  const { state, ...rest } = script;
  const { image, ...others } = state;
  const { memory, ...numbers } = image;
  const json = Buffer.from(JSON.stringify({ engine: ENGINE, ...rest, others, numbers }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  const plain = await compress(Buffer.concat([length, json, memory]), { level: 1 });
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(MAGIC);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([MAGIC, iv, cipher.getAuthTag(), sealed]);
}

/** The script in sealed bytes. Rejects if they were changed, or are from another version. */
export async function unsealScript(bytes: Buffer, key: Buffer): Promise<SuspendedScript> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Error("this is not a suspended script, or one of another version of the workbench");
  const tagAt = MAGIC.length + IV_BYTES;
  const bodyAt = tagAt + TAG_BYTES;
  let plain: Buffer;
  try {
    const iv = bytes.subarray(MAGIC.length, tagAt);
    const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(MAGIC).setAuthTag(bytes.subarray(tagAt, bodyAt));
    const opened = Buffer.concat([decipher.update(bytes.subarray(bodyAt)), decipher.final()]);
    plain = await decompress(opened, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw new Error(`the suspended script cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
  const jsonAt = 4;
  const memoryAt = jsonAt + plain.readUInt32BE(0);
  const { engine, others, numbers, ...rest } = JSON.parse(
    plain.subarray(jsonAt, memoryAt).toString(),
  ) as Omit<SuspendedScript, "state"> & {
    engine: string;
    others: Omit<SuspendedScript["state"], "image">;
    numbers: Omit<SuspendedScript["state"]["image"], "memory">;
  };
  if (engine !== ENGINE)
    throw new Error(`the script was suspended by ${engine} and cannot continue in ${ENGINE}`);
  const memory = new Uint8Array(plain.subarray(memoryAt));
  return { ...rest, state: { ...others, image: { ...numbers, memory } } };
}
