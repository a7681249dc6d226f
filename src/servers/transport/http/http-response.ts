import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

import { ByteParts } from "../../../wire/byte-parts.ts";
import { PacedReader, type TakeChunk } from "../../turns.ts";
import { RemoteFailure } from "./remote-failure.ts";

/** Decoded bytes count against the same limits as plain ones. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

export const EVENT_STREAM = "text/event-stream";

/** How long a discarded response may take to end, so that its connection can be reused. */
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
    // The end of the body reports a broken connection; without a listener the event would throw.
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

  get isEventStream(): boolean {
    return this.mediaType === EVENT_STREAM;
  }

  /** Reads the body as it arrives. Rejects if it ends before it is complete. */
  read(take: TakeChunk): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = this.#decoded();
      new PacedReader(body, take).done.then(resolve, reject);
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
        if (exceeded) return undefined;
        parts.add(chunk);
        if (parts.bytes <= limit) return undefined;
        exceeded = true;
        this.cancel();
        return undefined;
      });
    } catch (error) {
      if (!exceeded) throw error;
    }
    const { bytes } = parts;
    return { parts: parts.take(), bytes, complete: !exceeded };
  }

  /** Ignores the body. */
  discard(): void {
    const timer = setTimeout(() => this.cancel(), DISCARD_MS);
    timer.unref();
    this.#message.once("close", () => clearTimeout(timer));
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
    // `pipe` does not report that the source broke; the decoder would wait forever.
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
  // Flush immediately, or the events of a stream would be late.
  if (encoding === "gzip" || encoding === "x-gzip")
    return createGunzip({ flush: constants.Z_SYNC_FLUSH });
  if (encoding === "deflate") return createInflate({ flush: constants.Z_SYNC_FLUSH });
  if (encoding === "br") return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return undefined;
}
