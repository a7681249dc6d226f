import type { Socket } from "node:net";

import { LOCAL_PRINCIPAL, type Principal, STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { reasonOf } from "../../errors.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import { initializeIn } from "../early-initialize.ts";
import { type ServedStdio, serveStdio } from "../stdio.ts";
import type { StdioClient } from "../stdio-client.ts";
import type { Control, SessionHello, Welcome } from "./hello.ts";
import type { LaunchStarts } from "./launch-starts.ts";
import { tagLine } from "./line-tags.ts";

const POLL_MS = 20;
/** How often a client is asked to leave, until it does. */
const OFFER_MS = 100;
/** How long a client may stay for tasks and stored results, which end with this process. */
const MAX_STAY_MS = 60 * 60_000;

interface SharedSession {
  readonly socket: Socket;
  readonly starts: LaunchStarts;
  readonly principal: Principal;
  readonly owner: string;
  readonly client: StdioClient;
  /** Where it is asked to go. */
  offer: Offer | undefined;
}

interface Offer {
  readonly to: string;
  /** Until then, the client may stay for what ends with this process. */
  readonly until: number;
}

export interface SharedSessionsOptions {
  /** What a client sees; throws if it names something that does not exist. */
  readonly viewOf: (
    toolbox: readonly string[] | undefined,
    server: string | undefined,
  ) => ClientView;
  /** Called when a client has left. */
  readonly onLeft: () => void;
}

/** The clients of a shared workbench. */
export class SharedSessions {
  readonly #workbench: Workbench;
  readonly #options: SharedSessionsOptions;
  readonly #sessions = new Set<SharedSession>();

  constructor(workbench: Workbench, options: SharedSessionsOptions) {
    this.#workbench = workbench;
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** How servers are started for them. */
  get starts(): ReadonlySet<LaunchStarts> {
    return new Set(Array.from(this.#sessions, ({ starts }) => starts));
  }

  /** Serves a client until it leaves. */
  open(hello: SessionHello, starts: LaunchStarts, socket: Socket): Welcome {
    if (!starts.isShareable)
      return refusal("its configuration differs in more than how servers are started");
    let view: ClientView;
    try {
      view = this.#options.viewOf(hello.toolbox, hello.server);
    } catch (error) {
      return refusal(reasonOf(error));
    }
    if (socket.destroyed) return refusal("it left");
    const welcome: Welcome = { ok: true };
    socket.write(`${JSON.stringify(welcome)}\n`);
    const kind = hello.principal === "local" ? LOCAL_PRINCIPAL : STDIO_PRINCIPAL;
    const principal = { ...kind, client: hello.client, epoch: hello.epoch };
    const served = serveStdio(this.#workbench, view, socket, socket, {
      answered: hello.answered === undefined ? undefined : initializeIn(hello.answered),
      tag: tagLine,
      owner: hello.client,
      principal,
      // A late answer to a request of an earlier process must not be taken for one of this.
      questionIds: hello.epoch === 0 ? undefined : `workbench-${hello.epoch}`,
      shared: {
        // The only server that a client sees knows its real capabilities.
        sharesAll: hello.server === undefined,
        startOf: (server) => starts.startOf(server),
      },
    });
    const { client } = served;
    const owner = hello.client;
    const session: SharedSession = { socket, starts, principal, owner, client, offer: undefined };
    this.#sessions.add(session);
    void this.#untilLeft(session, served);
    return welcome;
  }

  /** Informs all clients that this process ends. */
  announceStop(): void {
    for (const session of this.#sessions) send(session, { event: "stop" });
  }

  /** Lets all clients connect again, to this process, each when it waits for nothing. */
  reconnect(key: string): void {
    this.#offer({ to: key, until: 0 });
  }

  /** Passes all clients on to the workbench with this key, each when nothing of it is left here. */
  passOn(to: string): void {
    this.#offer({ to, until: performance.now() + MAX_STAY_MS });
  }

  #offer(offer: Offer): void {
    for (const session of this.#sessions) {
      const isNew = session.offer === undefined;
      session.offer = offer;
      if (isNew) void this.#untilTaken(session, offer);
    }
  }

  /** A client that has sent something in the meantime ignores an offer, so it is repeated. */
  async #untilTaken(session: SharedSession, first: Offer): Promise<void> {
    const { client, socket } = session;
    while (this.#sessions.has(session) && !socket.destroyed) {
      const { to, until } = session.offer ?? first;
      const isFree = !client.isWaiting && !client.isAsked;
      const mayLeave = isFree && (performance.now() > until || !this.#keepsFor(session));
      if (mayLeave && socket.writableLength === 0) send(session, { event: "drain", to });
      await new Promise((resolve) => setTimeout(resolve, OFFER_MS));
    }
  }

  /** Whether a client would miss something that another process does not have. */
  #keepsFor({ principal, owner }: SharedSession): boolean {
    const { tasks, results } = this.#workbench.pipeline;
    return tasks.hasAny(owner) || results.hasAny(principal, owner);
  }

  /** The configuration has changed: clients that can no longer share it have to leave. */
  endUnshareable(): void {
    for (const { socket, starts } of this.#sessions) if (!starts.isShareable) socket.destroy();
  }

  /** Ends the connections of all clients when they have received everything. */
  async end(limitMs: number): Promise<void> {
    const closed = Array.from(
      this.#sessions,
      ({ socket }) => new Promise<void>((resolve) => socket.end(() => resolve())),
    );
    const timeUp = new Promise<void>((resolve) => setTimeout(resolve, limitMs));
    await Promise.race([Promise.all(closed), timeUp]);
  }

  async #untilLeft(session: SharedSession, { client, ended }: ServedStdio): Promise<void> {
    const end = await ended;
    if (end === "endOfInput") {
      // As without sharing: what was asked before is answered if that does not take long.
      const until = performance.now() + this.#graceMs();
      while (client.isWaiting && performance.now() < until && !session.socket.destroyed)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      client.close();
      session.socket.end();
    }
    session.socket.destroySoon();
    this.#sessions.delete(session);
    this.#options.onLeft();
  }

  #graceMs(): number {
    const servers = serversIn(this.#workbench.toolboxes);
    return Math.max(0, ...servers.map(({ settings }) => settings.timeouts.shutdownMs));
  }
}

function send({ socket }: SharedSession, control: Control): void {
  socket.write(`!${JSON.stringify(control)}\n`);
}

function refusal(reason: string): Welcome {
  return { ok: false, reason, retry: false };
}
