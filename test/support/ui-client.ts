/** A browser of the dashboard, as far as HTTP is concerned. */
import type { Disposables } from "./disposables.ts";
import type { ChangeRoutes, DashboardEvent, ReadRoutes } from "../../src/dashboard/contract.ts";
import { CSRF_HEADER } from "../../src/dashboard/contract.ts";
import { GENEROUS_MS } from "./raw-client.ts";

export interface UiAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** An answer that may be an error. */
interface Failure {
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

type Queries = Readonly<Record<string, string>>;

export class UiClient {
  readonly url: string;
  cookie = "";
  csrf = "";

  constructor(url: string) {
    this.url = url;
  }

  /** Exchanges the code of a link for a session. */
  async login(link: string): Promise<UiAnswer<ChangeRoutes["/ui/login"]["answer"] & Failure>> {
    const code = new URL(link).hash.replace("#code=", "");
    const answer = await this.post("/ui/login", { code });
    this.cookie = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    this.csrf = answer.body.csrf;
    return answer;
  }

  async get<P extends keyof ReadRoutes>(
    path: P,
    query: Queries = {},
  ): Promise<UiAnswer<ReadRoutes[P]["answer"] & Failure>> {
    const parameters = new URLSearchParams(query).toString();
    return this.fetch(parameters === "" ? path : `${path}?${parameters}`);
  }

  async post<P extends keyof ChangeRoutes>(
    path: P,
    body: ChangeRoutes[P]["body"],
    init: RequestInit = {},
  ): Promise<UiAnswer<ChangeRoutes[P]["answer"] & Failure>> {
    return this.fetch(path, {
      method: "POST",
      body: JSON.stringify(body),
      ...init,
      headers: { "content-type": "application/json", [CSRF_HEADER]: this.csrf, ...init.headers },
    });
  }

  /** Any request of the page; its headers can be replaced. */
  async fetch<T>(path: string, init: RequestInit = {}): Promise<UiAnswer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      redirect: "manual",
      ...init,
      headers: { origin: this.url, cookie: this.cookie, ...init.headers },
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    const body = (isJson ? JSON.parse(text) : text) as T;
    return { status: response.status, headers: response.headers, body };
  }

  /** Opens the event stream. */
  async events(disposables: Disposables): Promise<UiEvents> {
    const abort = new AbortController();
    disposables.defer(() => abort.abort());
    const response = await fetch(`${this.url}/ui/events`, {
      headers: { cookie: this.cookie },
      signal: abort.signal,
    });
    if (response.body === null || response.status !== 200)
      throw new Error(`no stream: ${response.status}`);
    return new UiEvents(response.body, () => abort.abort());
  }
}

type EventOf<T extends DashboardEvent["type"]> = Extract<DashboardEvent, { readonly type: T }>;

/** The events of one stream. */
export class UiEvents {
  readonly all: DashboardEvent[] = [];
  readonly close: () => void;
  readonly ended: Promise<void>;
  #onEvent = new Set<() => void>();

  constructor(body: ReadableStream<Uint8Array>, close: () => void) {
    this.close = close;
    this.ended = this.#read(body).catch(() => {});
  }

  /** The first event of a type for which this is true, also one that came before. */
  async when<T extends DashboardEvent["type"]>(
    type: T,
    accepts: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    const isFound = (event: DashboardEvent): event is EventOf<T> =>
      event.type === type && accepts(event as EventOf<T>);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no event ${type} in ${JSON.stringify(this.all)}`)),
        GENEROUS_MS,
      );
      const look = (): void => {
        const found = this.all.find(isFound);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#onEvent.delete(look);
        resolve(found);
      };
      this.#onEvent.add(look);
      look();
    });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines)
        if (line.startsWith("data: "))
          this.all.push(JSON.parse(line.slice("data: ".length)) as DashboardEvent);
      for (const look of this.#onEvent) look();
    }
  }
}
