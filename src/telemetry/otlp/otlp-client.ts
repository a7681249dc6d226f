import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { NAME, VERSION } from "../../version.ts";

/** What a collector answered. */
export interface OtlpAnswer {
  readonly isOk: boolean;
  /** Why it failed, without anything that the collector wrote. */
  readonly reason: string;
  readonly mayRetry: boolean;
  readonly retryAfterMs: number | undefined;
  readonly body: Buffer;
}

export interface OtlpPayload {
  readonly type: string;
  readonly encoding?: string;
  readonly bytes: Buffer;
}

/** The answers after which OTLP says that the same request may be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Answers are short. A longer one is cut off with its connection. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_SOCKETS = 2;

/** Posts to one address of a collector. Redirects are not followed: they would take the headers along. */
export class OtlpClient {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(url: URL, headers: Readonly<Record<string, string>>, tls: object) {
    this.#url = url;
    this.#headers = headers;
    const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
    this.#agent =
      url.protocol === "https:" ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
  }

  /** Never throws: whatever goes wrong is an answer. */
  post({ type, encoding, bytes }: OtlpPayload, signal: AbortSignal): Promise<OtlpAnswer> {
    const send = this.#url.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve) => {
      const failed = (error: Error): void => resolve(failure(reasonOf(error, signal)));
      const request = send(
        this.#url,
        {
          method: "POST",
          agent: this.#agent,
          signal,
          headers: {
            "user-agent": `${NAME}/${VERSION}`,
            ...this.#headers,
            "content-type": type,
            ...(encoding !== undefined && { "content-encoding": encoding }),
            "content-length": bytes.length,
          },
        },
        (response) => {
          response.on("error", failed);
          readBody(response, (body) => resolve(answerOf(response, body)));
        },
      );
      request.on("error", failed);
      request.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function readBody(response: IncomingMessage, onRead: (body: Buffer) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  response.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MAX_ANSWER_BYTES) parts.push(part);
    else {
      onRead(Buffer.alloc(0));
      response.destroy();
    }
  });
  response.on("end", () => onRead(Buffer.concat(parts)));
}

function answerOf({ statusCode: status = 0, headers }: IncomingMessage, body: Buffer): OtlpAnswer {
  const seconds = headers["retry-after"];
  return {
    isOk: status >= 200 && status < 300,
    reason: `the collector answers with HTTP status ${status}`,
    mayRetry: RETRYABLE.has(status),
    retryAfterMs: /^\d{1,5}$/.test(seconds ?? "") ? Number(seconds) * 1000 : undefined,
    body,
  };
}

function failure(reason: string): OtlpAnswer {
  return { isOk: false, reason, mayRetry: true, retryAfterMs: undefined, body: Buffer.alloc(0) };
}

function reasonOf(error: NodeJS.ErrnoException, signal: AbortSignal): string {
  if (signal.aborted) return "the collector does not answer in time";
  return error.code ?? error.message;
}
