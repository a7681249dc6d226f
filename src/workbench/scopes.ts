import type { Pipeline } from "../calls/call.ts";
import type { ServerRef } from "../calls/identifier.ts";
import { type Principal, accessIdOf, signInUserOf } from "../calls/principal.ts";
import { isPerUser } from "../config/per-user.ts";
import { serverKey } from "../config/server-key.ts";
import type { Server } from "../servers/server.ts";
import { shortList } from "../text/short-list.ts";
import { RestrictedToolbox } from "../toolboxes/restricted-toolbox.ts";
import type { ToolboxView } from "../toolboxes/toolbox.ts";

/** The toolboxes a client may use. */
export type Scope = ReadonlyMap<string, ToolboxView>;

/** All servers of a scope, or of the toolboxes in a configuration. */
export function serversIn<T>(
  toolboxes: ReadonlyMap<string, { readonly servers: ReadonlyMap<string, T> }>,
): T[] {
  const found: T[] = [];
  for (const { servers } of toolboxes.values())
    for (const server of servers.values()) found.push(server);
  return found;
}

export function enabledServersIn(scope: Scope): Server[] {
  return serversIn(scope).filter(({ settings }) => !settings.disabled);
}

/** The names of the first servers, and the number of the others. */
export function firstNames(servers: readonly Server[], max: number): string {
  const names = servers.map(({ settings }) => serverKey(settings.toolbox, settings.name));
  return shortList(names, max);
}

/** A scope that is derived from a larger one, and how it is derived. */
interface Derived {
  readonly scope: Map<string, ToolboxView>;
  readonly derive: () => void;
}

/** Everything that a principal may see. */
interface Limit {
  readonly scope: Scope;
  /** Whether the principal itself is limited; otherwise only a policy can hide something from it. */
  readonly isLimited: boolean;
}

/** Toolboxes in which servers may exist once for each user. */
type OwnedToolboxes = ReadonlyMap<
  string,
  ToolboxView & { readonly personal: { endUser(id: string): Promise<void> } }
>;

/** Keeps the scopes in use in step with the current toolboxes. */
export class Scopes {
  readonly #all: OwnedToolboxes;
  readonly #policy: Pick<Pipeline, "visibility">;
  /** By the scope they are derived from. A scope is older than those that are derived from it. */
  readonly #derived = new Map<Scope, Map<string, Derived>>();
  /** What principals may see in all, by the scopes of their clients. */
  readonly #limits = new WeakMap<Scope, Limit>();
  /** Those that contain servers of a single user. */
  readonly #personal = new WeakSet<Scope>();
  /** The scopes of users who sign in to servers themselves, by the id of the user. */
  readonly #users = new Map<string, Set<Scope>>();

  constructor(all: OwnedToolboxes, policy: Pick<Pipeline, "visibility"> = {}) {
    this.#all = all;
    this.#policy = policy;
  }

  /** The toolboxes of a scope with these names, in this order. */
  select(from: Scope, names: readonly string[]): Scope {
    return this.#derive(from, `select ${JSON.stringify(names)}`, (scope) => {
      for (const name of names) {
        const toolbox = from.get(name);
        if (toolbox !== undefined) scope.set(name, toolbox);
      }
    });
  }

  /** A single server of a scope. */
  only(from: Scope, { toolbox: name, server }: ServerRef): Scope {
    return this.#derive(from, `only ${JSON.stringify([name, server])}`, (scope) => {
      const toolbox = from.get(name);
      if (toolbox === undefined) return;
      const view = new RestrictedToolbox(toolbox, (one) => one === server);
      view.update();
      if (view.servers.size > 0) scope.set(name, view);
    });
  }

  /**
   * The part of a scope that a principal may see. It is a scope of its own also without limits, because
   * a policy that is added later hides servers from clients that are connected already.
   */
  restrict(from: Scope, principal: Principal): Scope {
    const { toolboxes, servers } = principal;
    const isLimited = toolboxes !== undefined || servers !== undefined;
    const whole = new Set(toolboxes);
    const single = new Set(servers);
    const isWhole = (toolbox: string): boolean => !isLimited || whole.has(toolbox);
    const isHidden = (toolbox: string, server: string): boolean =>
      this.#policy.visibility?.hides(principal, { toolbox, server }) ?? false;
    const hasHidden = (name: string, { servers }: ToolboxView): boolean =>
      this.#policy.visibility !== undefined &&
      [...servers.keys()].some((server) => isHidden(name, server));
    const user = signInUserOf(principal);
    const hasPersonal = ({ servers }: ToolboxView): boolean =>
      user !== undefined && [...servers.values()].some(({ settings }) => isPerUser(settings));
    const restricted = new WeakMap<ToolboxView, RestrictedToolbox>();
    const scope = this.#derive(from, restrictKey(principal), (scope) => {
      this.#personal.delete(scope);
      for (const [name, toolbox] of from) {
        const isPersonal = hasPersonal(toolbox);
        if (isPersonal) this.#personal.add(scope);
        if (isWhole(name) && !isPersonal && !hasHidden(name, toolbox)) scope.set(name, toolbox);
        else {
          const isAllowed = (server: string): boolean =>
            (isWhole(name) || single.has(serverKey(name, server))) && !isHidden(name, server);
          const view = restricted.get(toolbox) ?? new RestrictedToolbox(toolbox, isAllowed, user);
          restricted.set(toolbox, view);
          view.update();
          if (view.servers.size > 0) scope.set(name, view);
        }
      }
    });
    this.#limits.set(scope, { scope, isLimited });
    if (user !== undefined)
      this.#users.set(user.id, (this.#users.get(user.id) ?? new Set()).add(scope));
    return scope;
  }

  /** Forgets the scope of a principal whose clients have ended: users of an identity provider come and go. */
  release(from: Scope, principal: Principal): void {
    const siblings = this.#derived.get(from);
    const restricted = siblings?.get(restrictKey(principal));
    siblings?.delete(restrictKey(principal));
    if (restricted === undefined) return;
    this.#forgetChildren(restricted.scope);
    const user = signInUserOf(principal);
    const scopes = user && this.#users.get(user.id);
    scopes?.delete(restricted.scope);
    if (user === undefined || scopes?.size !== 0) return;
    this.#users.delete(user.id);
    for (const { personal } of this.#all.values()) void personal.endUser(user.id);
  }

  /** Everything that the principal of a client with this scope may see at present. */
  limitOf(scope: Scope): Scope {
    const limit = this.#limits.get(scope);
    if (limit === undefined) return this.#all;
    const isOwn = limit.isLimited || this.#personal.has(limit.scope);
    return isOwn || this.#policy.visibility !== undefined ? limit.scope : this.#all;
  }

  update(): void {
    for (const derived of this.#derived.values())
      for (const { scope, derive } of derived.values()) {
        scope.clear();
        derive();
      }
  }

  #forgetChildren(from: Scope): void {
    const children = this.#derived.get(from);
    this.#derived.delete(from);
    for (const { scope } of children?.values() ?? []) this.#forgetChildren(scope);
  }

  #derive(from: Scope, key: string, fill: (scope: Map<string, ToolboxView>) => void): Scope {
    const siblings = this.#derived.get(from) ?? new Map<string, Derived>();
    this.#derived.set(from, siblings);
    const known = siblings.get(key);
    if (known !== undefined) return known.scope;
    const scope = new Map<string, ToolboxView>();
    const derive = (): void => fill(scope);
    derive();
    siblings.set(key, { scope, derive });
    const limit = this.#limits.get(from);
    if (limit !== undefined) this.#limits.set(scope, limit);
    return scope;
  }
}

/** Rules name principals; the id keeps users with the same name apart, so that each scope can be released. */
function restrictKey(principal: Principal): string {
  const { toolboxes, servers, name } = principal;
  const sorted = [toolboxes, servers].map((places) => places && [...new Set(places)].sort());
  return `restrict ${JSON.stringify([...sorted, name, accessIdOf(principal)])}`;
}
