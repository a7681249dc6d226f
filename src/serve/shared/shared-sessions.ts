import type { Socket } from "node:net";

import { LOCAL_PRINCIPAL, STDIO_PRINCIPAL } from "../../calls/principal.ts";
import { reasonOf } from "../../errors.ts";
import { serversIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import { initializeIn } from "../early-initialize.ts";
import { type ServedStdio, serveStdio } from "../stdio.ts";
import type { Control, SessionHello, Welcome } from "./hello.ts";
import type { LaunchStarts } from "./launch-starts.ts";
import { tagLine } from "./line-tags.ts";

const POLL_MS = 20;

interface SharedSession {
  readonly socket: Socket;
  readonly starts: LaunchStarts;
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
    const session = { socket, starts };
    this.#sessions.add(session);
    const welcome: Welcome = { ok: true };
    socket.write(`${JSON.stringify(welcome)}\n`);
    const kind = hello.principal === "local" ? LOCAL_PRINCIPAL : STDIO_PRINCIPAL;
    const served = serveStdio(this.#workbench, view, socket, socket, {
      answered: hello.answered === undefined ? undefined : initializeIn(hello.answered),
      tag: tagLine,
      owner: hello.client,
      principal: { ...kind, client: hello.client },
      // A late answer to a request of an earlier process must not be taken for one of this.
      questionIds: hello.epoch === 0 ? undefined : `workbench-${hello.epoch}`,
      shared: {
        // The only server that a client sees knows its real capabilities.
        sharesAll: hello.server === undefined,
        startOf: (server) => starts.startOf(server),
      },
    });
    void this.#untilLeft(session, served);
    return welcome;
  }

  /** Sends a control message to all clients. */
  announce(control: Control): void {
    for (const { socket } of this.#sessions) socket.write(`!${JSON.stringify(control)}\n`);
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

function refusal(reason: string): Welcome {
  return { ok: false, reason, retry: false };
}
