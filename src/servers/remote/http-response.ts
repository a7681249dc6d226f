import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

import { ByteParts } from "../../wire/byte-parts.ts";
import { takeTurn } from "../turns.ts";
import { RemoteFailure } from "./remote-failure.ts";

/** What we can decode; whatever comes out is counted against the same limits as plain bytes. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** A response nobody is interested in may end by itself for this long, so that its connection is kept. */
const DISCARD_MS = 2000;

/** A response whose head has arrived. Its body is read once, or discarded. */
export class HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Host and port, for messages. */
  readonly host: string;
  readonly #message: IncomingMessage;
  #decoder: Readable | undefined;

  constructor(message: IncomingMessage, host: string) {
    this.#message = message;
    this.host = host;
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
    // A connection that breaks is told by the end of the body; without a listener it would throw.
    message.on("error", () => {});
  }

  get ok(): boolean {
    return isSuccess(this.status);
  }

  /** The media type without its parameters, in lower case; empty if the server gives none. */
  get mediaType(): string {
    const [type = ""] = (this.headers["content-type"] ?? "").split(";", 1);
    return type.trim().toLowerCase();
  }

  /** Hands over the body as it arrives. Rejects if it ends before it is complete. */
  read(onChunk: (chunk: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = this.#decoded();
      body.on("data", (chunk: Buffer) => takeTurn(body, () => onChunk(chunk)));
      body.on("end", resolve);
      body.on("error", (error) => {
        this.#message.destroy();
        reject(this.#bodyFailure(error));
      });
      body.on("close", () => {
        if (!body.readableEnded) reject(new RemoteFailure("truncated", this.host));
      });
    });
  }

  /** The whole body, or the first bytes of one that exceeds the limit; then the rest is not read. */
  async collect(limit: number): Promise<{ parts: Buffer[]; bytes: number; complete: boolean }> {
    const parts = new ByteParts();
    let exceeded = false;
    try {
      await this.read((chunk) => {
        if (exceeded) return;
        parts.add(chunk);
        if (parts.bytes <= limit) return;
        exceeded = true;
        this.cancel();
      });
    } catch (error) {
      if (!exceeded) throw error;
    }
    const { bytes } = parts;
    return { parts: parts.take(), bytes, complete: !exceeded };
  }

  /** Lets the body pass unread. */
  discard(): void {
    const impatience = setTimeout(() => this.cancel(), DISCARD_MS);
    impatience.unref();
    this.#message.once("close", () => clearTimeout(impatience));
    this.#message.resume();
  }

  /** Ends the response together with its connection. */
  cancel(): void {
    this.#message.destroy();
    this.#decoder?.destroy();
  }

  #decoded(): Readable {
    const encoding = (this.headers["content-encoding"] ?? "").trim().toLowerCase();
    if (encoding === "" || encoding === "identity") return this.#message;
    const decoder = decoderFor(encoding);
    if (decoder === undefined) {
      this.cancel();
      throw new RemoteFailure("badEncoding", this.host, encoding);
    }
    this.#decoder = decoder;
    // `pipe` does not pass on that the source broke; the decoder would wait for ever.
    this.#message.once("close", () => {
      if (!this.#message.complete) decoder.destroy();
    });
    return this.#message.pipe(decoder);
  }

  #bodyFailure(error: Error): RemoteFailure {
    const { code = "" } = error as NodeJS.ErrnoException;
    const undecodable = code.startsWith("Z_") && code !== "Z_BUF_ERROR";
    if (undecodable) return new RemoteFailure("badEncoding", this.host, code);
    return new RemoteFailure("truncated", this.host);
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function decoderFor(encoding: string): ReturnType<typeof createGunzip> | undefined {
  // What the server has flushed must come out at once, or the events of a stream would be late.
  if (encoding === "gzip" || encoding === "x-gzip")
    return createGunzip({ flush: constants.Z_SYNC_FLUSH });
  if (encoding === "deflate") return createInflate({ flush: constants.Z_SYNC_FLUSH });
  if (encoding === "br") return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return undefined;
}
