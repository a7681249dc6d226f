import { readFile, rm, writeFile } from "node:fs/promises";

import type { CallClient, ClientCall } from "../calls/call.ts";
import type { ArgumentsAt } from "../calls/destination.ts";
import { accessIdOf } from "../calls/principal.ts";
import type { StoredResults } from "../calls/stored-results.ts";
import type { ResultSettings } from "../config/types.ts";
import { reasonOf } from "../errors.ts";
import { Line } from "../wire/lines.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import { type ServerResponse, readServerLine } from "../wire/response.ts";
import type { Job, JobResult, StoredFile } from "./jobs.ts";
import type { ResultLimit } from "./limit.ts";
import { resolvedRequest } from "./resolved-request.ts";
import {
  REMOTE_REFERENCE,
  type RemoteResults,
  type ResultOwner,
  ResultStore,
} from "./result-store.ts";
import { maxTextBytes } from "./script-memory.ts";

export type { RemoteResults, ResultOwner };

export interface LargeResultsContext {
  readonly settings: () => ResultSettings & {
    /** The largest request. */
    readonly messageBytes: number;
    /** The memory of a script. */
    readonly memoryMb: number;
  };
  readonly debug: (message: string) => void;
  /** Runs a job in another thread. */
  readonly run: <J extends Job>(job: J) => Promise<JobResult<J>>;
  readonly root: string;
  /** The results of other replicas, if there are any. */
  readonly remote?: () => RemoteResults | undefined;
  readonly now?: () => number;
}

const PRIVATE = 0o600;

/** Stores large results and finds them again, for the client that got them. */
export class LargeResults {
  readonly #context: LargeResultsContext;
  readonly #store: ResultStore;

  constructor(context: LargeResultsContext) {
    const { root, settings, now, remote } = context;
    this.#context = context;
    const firstId = (): number => remote?.()?.firstId ?? 0;
    this.#store = new ResultStore({ root, settings, firstId, ...(now && { now }) });
  }

  /** Stores the text of a result. If that is not possible, the response stays as it is. */
  async replace(
    call: ClientCall,
    response: ServerResponse,
    limit: ResultLimit,
  ): Promise<ServerResponse> {
    try {
      const { id, file, keep } = this.#store.reserve(ownerOf(call.caller));
      const message = bytesOf(response);
      const { memoryMb } = this.#context.settings();
      const maxBytes = this.#maxBytes;
      const job = { kind: "store", message, limit, id, file, maxBytes, memoryMb } as const;
      const stored = await this.#context.run(job);
      if (stored === undefined) return response;
      keep(stored.bytes, stored.isJson);
      const read = readServerLine(Line.of(stored.message));
      return read.kind === "answer" ? read.response : response;
    } catch (error) {
      this.#context.debug(`a large result could not be stored: ${reasonOf(error)}`);
      return response;
    }
  }

  /** What a script could not read is not stored. */
  get #maxBytes(): number {
    const { maxBytes, totalBytes, memoryMb } = this.#context.settings();
    return Math.min(maxBytes, totalBytes, maxTextBytes(memoryMb));
  }

  /** The request with stored results in place of the references to them. Throws if one is wrong. */
  async resolve(
    client: CallClient,
    request: IncomingRequest,
    at: ArgumentsAt,
  ): Promise<IncomingRequest> {
    const owner = ownerOf(client);
    for (const [, id = ""] of request.text.matchAll(REMOTE_REFERENCE)) await this.#fetch(owner, id);
    const isEscaped = request.text.includes("\\u");
    const files = Object.fromEntries(
      this.#store.ids(owner).flatMap((id): [string, StoredFile][] => {
        // Only what the request may refer to is used by it. An id may be written with escapes.
        const mayRefer = isEscaped || request.text.includes(`"${id}"`);
        const found = mayRefer ? this.#store.find(owner, id) : undefined;
        return found === undefined ? [] : [[id, found]];
      }),
    );
    const { messageBytes } = this.#context.settings();
    const { text } = request;
    const job = { kind: "resolve", request: text, at, files, maxBytes: messageBytes } as const;
    return resolvedRequest(request, await this.#context.run(job));
  }

  /** The results of a client. */
  of(client: CallClient): StoredResults {
    const owner = ownerOf(client);
    return {
      read: (id) => this.#read(owner, id),
      store: (text) => this.#write(owner, Buffer.from(text)),
    };
  }

  /** Removes the results of a client, or of all clients of a principal. */
  end(owner: Pick<ResultOwner, "principal"> & Partial<ResultOwner>): void {
    this.#store.end(owner);
  }

  /** The file of a result, for another replica. */
  stored(owner: ResultOwner, id: string): StoredFile | undefined {
    return this.#store.find(owner, id);
  }

  hasAny(owner: ResultOwner): boolean {
    return this.#store.ids(owner).length > 0;
  }

  close(): void {
    this.#store.close();
  }

  /** Copies a result of another replica. */
  async #fetch(owner: ResultOwner, id: string): Promise<void> {
    const remote = this.#context.remote?.();
    if (remote?.isRemote(id) !== true || this.#store.find(owner, id) !== undefined) return;
    const found = await remote.fetch(owner, id, this.#maxBytes);
    if (found !== undefined) await this.#write(owner, found.content, { id, isJson: found.isJson });
  }

  async #read(owner: ResultOwner, id: string): Promise<string | undefined> {
    await this.#fetch(owner, id);
    const found = this.#store.find(owner, id);
    if (found === undefined) return undefined;
    try {
      return await readFile(found.file, "utf8");
    } catch (error) {
      this.#context.debug(`a stored result could not be read: ${reasonOf(error)}`);
      return undefined;
    }
  }

  async #write(
    owner: ResultOwner,
    content: Buffer,
    copied?: { readonly id: string; readonly isJson: boolean | undefined },
  ): Promise<string | undefined> {
    if (content.length > this.#maxBytes) return undefined;
    try {
      const { id, file, keep } = this.#store.reserve(owner, copied?.id);
      try {
        await writeFile(file, content, { flag: "wx", mode: PRIVATE });
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
      keep(content.length, copied?.isJson);
      return id;
    } catch (error) {
      this.#context.debug(`a result could not be stored: ${reasonOf(error)}`);
      return undefined;
    }
  }
}

/** Results belong to the same client as tasks do. */
function ownerOf({ principal, owner }: CallClient): ResultOwner {
  return { principal: accessIdOf(principal), client: owner, epoch: principal.epoch };
}

function bytesOf(response: ServerResponse): Buffer {
  const pieces = response.pieces(String(response.id));
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
}
