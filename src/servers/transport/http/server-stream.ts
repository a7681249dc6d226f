import { Cancellation } from "./cancellation.ts";
import { ResumableStream, type StreamSettings } from "./resumable-stream.ts";

export interface ServerStreamSettings extends Omit<StreamSettings, "cancellation"> {
  /** The stream is open again, and events may have been missed in the meantime. */
  readonly onMissedEvents: () => void;
}

/** The stream of a legacy server for messages that belong to no call. Not every server has one. */
export class ServerStream {
  readonly #settings: ServerStreamSettings;
  /** Stays set if the server does not offer the stream. */
  #open: Cancellation | undefined;

  constructor(settings: ServerStreamSettings) {
    this.#settings = settings;
  }

  /** Opens the stream unless it is open or the server does not offer it. */
  open(): void {
    if (this.#open !== undefined) return;
    const cancellation = new Cancellation();
    this.#open = cancellation;
    const stream = new ResumableStream({ ...this.#settings, cancellation });
    void stream.followMessages(this.#settings.onMissedEvents);
  }

  /** Opens it again for a new session. */
  reopen(): void {
    this.close();
    this.open();
  }

  close(): void {
    this.#open?.cancel();
    this.#open = undefined;
  }
}
