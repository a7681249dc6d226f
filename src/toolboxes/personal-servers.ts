import { isPerUser, settingsForUser } from "../config/per-user.ts";
import type { ServerSettings, SignInUser, ToolboxSettings } from "../config/types.ts";
import type { Server } from "../servers/server.ts";

/** A server of one user. */
export interface PersonalServer {
  readonly user: SignInUser;
  readonly server: Server;
}

/**
 * The servers of a toolbox that each user signs in to, one for each user besides the owner. They share nothing:
 * connections, tools, failures and what is known of them belong to one user.
 */
export class PersonalServers {
  readonly #create: (settings: ServerSettings) => Server;
  /** By the id of the user, and the name of the server. */
  readonly #servers = new Map<string, Map<string, PersonalServer>>();

  constructor(create: (settings: ServerSettings) => Server) {
    this.#create = create;
  }

  get(settings: ServerSettings, user: SignInUser): Server {
    const own = this.#servers.get(user.id) ?? new Map<string, PersonalServer>();
    this.#servers.set(user.id, own);
    const known = own.get(settings.name);
    if (known !== undefined) return known.server;
    const server = this.#create(settingsForUser(settings, user));
    own.set(settings.name, { user, server });
    return server;
  }

  /** Those of all users, of one server or of all. */
  *values(name?: string): Generator<PersonalServer> {
    for (const own of this.#servers.values())
      for (const [server, personal] of own)
        if (name === undefined || server === name) yield personal;
  }

  /** Applies changed settings; those of servers that are no longer separate for each user end. */
  async reconfigure(
    { servers }: ToolboxSettings,
    isRestarted: (server: string) => boolean,
  ): Promise<void> {
    const work: Promise<void>[] = [];
    for (const own of this.#servers.values())
      for (const [name, { user, server }] of own) {
        const settings = servers.get(name);
        if (settings !== undefined && isPerUser(settings))
          work.push(server.reconfigure(settingsForUser(settings, user), isRestarted(name)));
        else {
          own.delete(name);
          work.push(server.close(true));
        }
      }
    await Promise.all(work);
  }

  /** The user has no clients any longer: ends the connections made for them. */
  async endUser(id: string): Promise<void> {
    const own = [...(this.#servers.get(id)?.values() ?? [])];
    this.#servers.delete(id);
    await Promise.all(own.map(({ server }) => server.close(true)));
  }

  async disconnect(): Promise<void> {
    await Promise.all(Array.from(this.values(), ({ server }) => server.connections.endAll()));
  }

  async close(removed: boolean): Promise<void> {
    await Promise.all(Array.from(this.values(), ({ server }) => server.close(removed)));
  }
}
