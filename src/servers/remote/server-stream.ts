import { Exchange } from "./exchange.ts";
import { ResumableStream, type StreamSettings } from "./resumable-stream.ts";

/** The stream on which a legacy server says what belongs to no call. Not every server has one. */
export class ServerStream {
  readonly #settings: Omit<StreamSettings, "exchange">;
  #open: Exchange | undefined;
  #offered = true;

  constructor(settings: Omit<StreamSettings, "exchange">) {
    this.#settings = settings;
  }

  /** Opens the stream unless it is open or the server has said that there is none. */
  open(): void {
    if (this.#open !== undefined || !this.#offered) return;
    const exchange = new Exchange();
    this.#open = exchange;
    const stream = new ResumableStream({ ...this.#settings, exchange });
    void stream.followMessages().then((offered) => {
      if (this.#open !== exchange) return;
      this.#open = undefined;
      this.#offered = offered;
    });
  }

  /** Opens it anew, for another session. */
  reopen(): void {
    this.close();
    this.#offered = true;
    this.open();
  }

  close(): void {
    this.#open?.cancel();
    this.#open = undefined;
  }
}
