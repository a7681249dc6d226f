import { Exchange } from "./exchange.ts";
import { ResumableStream, type StreamSettings } from "./resumable-stream.ts";

export interface ServerStreamSettings extends Omit<StreamSettings, "exchange"> {
  /** The stream is open again, and something may have been said meanwhile. */
  readonly missed: () => void;
}

/** The stream on which a legacy server says what belongs to no call. Not every server has one. */
export class ServerStream {
  readonly #settings: ServerStreamSettings;
  /** Stays when the server has said that there is none. */
  #open: Exchange | undefined;

  constructor(settings: ServerStreamSettings) {
    this.#settings = settings;
  }

  /** Opens the stream unless it is open or the server has said that there is none. */
  open(): void {
    if (this.#open !== undefined) return;
    const exchange = new Exchange();
    this.#open = exchange;
    const stream = new ResumableStream({ ...this.#settings, exchange });
    void stream.followMessages(this.#settings.missed);
  }

  /** Opens it anew, for another session. */
  reopen(): void {
    this.close();
    this.open();
  }

  close(): void {
    this.#open?.cancel();
    this.#open = undefined;
  }
}
