import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

import { errorText } from "../../wire/messages.ts";
import { type Line, LineReader } from "../../wire/lines.ts";
import { requestIdOf } from "../../wire/request-id.ts";
import { RPC, reasonOf } from "../../errors.ts";
import { isObject, parseJson } from "../../text/json.ts";
import type { ClientState, RepeatedLine } from "./client-state.ts";
import { readTag } from "./line-tags.ts";

/** Larger than every message that a configuration can allow; the shared process has the real limit. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
/** While this much waits, nothing more is read. */
const MAX_WAITING_BYTES = 1024 * 1024;

const NEW_LINE = Buffer.from("\n");

/** Connects to the shared process, or to the one with this key. Rejects if the client cannot share. */
export type Connect = (epoch: number, successor: string | undefined) => Promise<Socket>;

export interface ShimOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly state: ClientState;
  readonly connect: Connect;
  /**
   * Serves the client in this process from now on, and gets what the client has sent so far. It reads
   * the client's own input if it returns nothing, and otherwise what is written to the result:
   * because `repeated` lines continue a session, or because the client's input has ended.
   */
  readonly serveAlone: (
    reason: string,
    sent: Buffer,
    repeated: readonly RepeatedLine[] | undefined,
  ) => Writable | undefined;
  /** The client has left, and everything is done. */
  readonly onEnd: () => void;
}

/** Passes the lines of a client to the shared process and back. */
export class Shim {
  readonly #options: ShimOptions;
  readonly #lines: LineReader;
  #socket: Socket | undefined;
  /** Takes the lines if this process serves the client itself. */
  #alone: Writable | undefined;
  /** What was read before the first connection. */
  #unread: Buffer[] | undefined = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #epoch = 0;
  #isConnecting = false;
  /** The shared process is about to end; what is not sent yet is for another one. */
  #isStopping = false;
  /** The ids of repeated requests that have to be answered first. */
  readonly #awaited = new Set<string>();
  /** The process that the shared one asks the client to change to. */
  #offered: string | undefined;
  #hasEnded = false;
  /** The shared process does not read what the client sends. */
  #isHeldBack = false;
  /** The client does not read what it gets. */
  #isSlow = false;

  constructor(options: ShimOptions) {
    this.#options = options;
    this.#lines = new LineReader(MAX_LINE_BYTES, {
      line: (line) => this.#onClientLine(line),
      oversized: (head, bytes, tail) => this.#refuse(head, bytes, tail),
    });
  }

  start(): void {
    const { input, output } = this.#options;
    input.on("data", this.#onData);
    input.once("end", this.end);
    input.once("close", this.end);
    input.once("error", this.end);
    output.once("error", this.#options.onEnd);
    input.resume();
    void this.#connect();
  }

  /** The client sends nothing more; what it asked before is answered. */
  readonly end = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#unread === undefined) this.#lines.end();
    this.#alone?.end();
    if (this.#socket !== undefined) {
      if (this.#awaited.size === 0) this.#socket.end();
    } else if (!this.#isConnecting && this.#alone === undefined) this.#options.onEnd();
  };

  readonly #onData = (chunk: Buffer): void => {
    if (this.#unread === undefined) this.#lines.push(chunk);
    else {
      this.#unread.push(chunk);
      this.#addWaiting(chunk.length);
    }
  };

  #onClientLine(line: Line): void {
    const parts = [...line.parts, NEW_LINE];
    if (this.#alone !== undefined) {
      for (const part of parts) this.#alone.write(part);
      return;
    }
    if (this.#socket !== undefined && !this.#isStopping && this.#awaited.size === 0) {
      this.#options.state.sent(line.text);
      this.#send(parts);
      return;
    }
    const bytes = Buffer.concat(parts);
    this.#waiting.push(bytes);
    this.#addWaiting(bytes.length);
    if (this.#socket === undefined) void this.#connect();
  }

  #send(parts: readonly Buffer[]): void {
    const socket = this.#socket as Socket;
    socket.cork();
    for (const part of parts) socket.write(part);
    socket.uncork();
    if (socket.writableLength < MAX_WAITING_BYTES || this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.#options.input.pause();
    const proceed = (): void => {
      socket.off("drain", proceed).off("close", proceed);
      this.#isHeldBack = false;
      this.#options.input.resume();
    };
    socket.on("drain", proceed).on("close", proceed);
  }

  async #connect(successor?: string): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    try {
      const socket = await this.#options.connect(this.#epoch, successor);
      this.#isConnecting = false;
      this.#use(socket);
    } catch (error) {
      this.#isConnecting = false;
      this.#serveAlone(reasonOf(error));
    }
  }

  #use(socket: Socket): void {
    const { state } = this.#options;
    this.#socket = socket;
    this.#isStopping = false;
    const lines = new LineReader(Infinity, {
      line: (line) => this.#onSharedLine(line, socket),
      oversized: () => {},
    });
    socket.on("data", (chunk: Buffer) => {
      const { output } = this.#options;
      output.cork();
      lines.push(chunk);
      output.uncork();
      this.#move();
    });
    // The other side ends the connection only when it has nothing more to say.
    socket.on("end", () => socket.end());
    socket.on("close", () => this.#onClosed(socket));
    if (this.#epoch > 0)
      for (const { text, idText, isFirst } of state.repeated()) {
        socket.write(`${text}\n`);
        if (idText !== undefined && isFirst) this.#awaited.add(idText);
      }
    if (this.#awaited.size === 0) this.#flush();
    if (!this.#isSlow) socket.resume();
  }

  /** Passes on what was read while there was no connection. */
  #flush(): void {
    const unread = this.#unread ?? [];
    const waiting = this.#waiting;
    this.#unread = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const chunk of unread) this.#lines.push(chunk);
    if (this.#hasEnded) this.#lines.end();
    for (const bytes of waiting) {
      this.#options.state.sent(bytes.toString("utf8", 0, bytes.length - 1));
      this.#send([bytes]);
    }
    this.#options.input.resume();
    if (this.#hasEnded) this.#socket?.end();
  }

  #onSharedLine(line: Line, socket: Socket): void {
    const { state, output } = this.#options;
    const [first = NEW_LINE, ...others] = line.parts;
    let parts = [first, ...others];
    let tag = readTag(first);
    if (tag === undefined) {
      const whole = Buffer.concat(parts);
      parts = [whole];
      tag = readTag(whole);
    }
    if (tag === undefined) return;
    // A process that the client has left may still have notifications for it.
    if (socket !== this.#socket && tag.kind !== "notification") return;
    if (tag.kind === "control") {
      this.#onControl(line.text.slice(1));
      return;
    }
    if (tag.kind === "answer") {
      if (state.isRepeated(tag.idText)) {
        if (this.#awaited.delete(tag.idText) && this.#awaited.size === 0) this.#flush();
        return;
      }
      state.onAnswer(tag.idText);
    } else if (tag.kind === "question") state.onQuestion(tag.idText);
    const [head = NEW_LINE, ...rest] = parts;
    output.write(head.subarray(tag.bytes));
    for (const part of rest) output.write(part);
    if (output.write(NEW_LINE) || this.#isSlow) return;
    this.#isSlow = true;
    this.#socket?.pause();
    output.once("drain", () => {
      this.#isSlow = false;
      this.#socket?.resume();
    });
  }

  #onControl(text: string): void {
    const control = parseJson(text);
    if (!isObject(control)) return;
    if (control["event"] === "stop") this.#isStopping = true;
    else if (control["event"] === "drain") this.#offered = String(control["to"]);
  }

  /**
   * Changes to the process that was offered, if nothing is lost by it. Otherwise, the offer is
   * repeated later: a request may have been on its way to a process that did not know of it.
   */
  #move(): void {
    const socket = this.#socket;
    const { state } = this.#options;
    const offered = this.#offered;
    this.#offered = undefined;
    if (offered === undefined || socket === undefined || this.#hasEnded) return;
    if (state.isWaiting || this.#awaited.size > 0) return;
    this.#socket = undefined;
    this.#epoch++;
    socket.end();
    void this.#connect(offered);
  }

  #onClosed(socket: Socket): void {
    if (this.#socket !== socket) return;
    const { state, output, onEnd } = this.#options;
    const wasStopped = this.#isStopping;
    this.#socket = undefined;
    this.#isStopping = false;
    this.#awaited.clear();
    this.#epoch++;
    for (const text of state.onLost()) output.write(`${text}\n`);
    // What is left is written before the end; a stream that is not full reports no `drain`.
    if (this.#hasEnded && this.#waiting.length === 0) output.write("", onEnd);
    else if (this.#waiting.length > 0 || (!wasStopped && state.isListening)) void this.#connect();
  }

  #serveAlone(reason: string): void {
    const { state, serveAlone, input, output, onEnd } = this.#options;
    output.off("error", onEnd);
    const isFirst = this.#unread !== undefined && this.#epoch === 0;
    if (isFirst) {
      input.off("data", this.#onData).off("end", this.end).off("close", this.end);
      input.off("error", this.end);
      input.pause();
    }
    const sent = Buffer.concat(isFirst ? (this.#unread ?? []) : this.#waiting);
    const isOwnInput = isFirst && !this.#hasEnded;
    const repeated = isFirst ? [] : [...state.repeated()];
    this.#alone = serveAlone(reason, sent, isOwnInput ? undefined : repeated);
    this.#waiting = [];
    if (this.#hasEnded) this.#alone?.end();
    if (!isFirst) input.resume();
  }

  #addWaiting(bytes: number): void {
    this.#waitingBytes += bytes;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#options.input.pause();
  }

  #refuse(head: Buffer, bytes: number, tail: Buffer): void {
    const message = `Invalid request: a message of ${bytes} bytes exceeds the limit of ${MAX_LINE_BYTES}`;
    const idText = requestIdOf(head, tail) ?? "null";
    this.#options.output.write(`${errorText(idText, { code: RPC.invalidRequest, message })}\n`);
  }
}
