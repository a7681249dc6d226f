import type { Server } from "../servers/server.ts";
import type { Toolbox } from "../toolboxes/toolbox.ts";

/** The toolboxes a client may use. */
export type Scope = ReadonlyMap<string, Toolbox>;

/** All servers of a scope, or of the toolboxes in a configuration. */
export function serversIn<T>(
  toolboxes: ReadonlyMap<string, { readonly servers: ReadonlyMap<string, T> }>,
): T[] {
  return Array.from(toolboxes.values()).flatMap(({ servers }) => [...servers.values()]);
}

export function enabledServersIn(scope: Scope): Server[] {
  return serversIn(scope).filter(({ settings }) => !settings.disabled);
}

/** Keeps the scopes in use in step with the current toolboxes. */
export class Scopes {
  readonly #all: Scope;
  readonly #limited = new Map<string, { names: readonly string[]; scope: Map<string, Toolbox> }>();

  constructor(all: Scope) {
    this.#all = all;
  }

  of(names: readonly string[] | undefined): Scope {
    if (names === undefined) return this.#all;
    const key = names.join("\n");
    const known = this.#limited.get(key);
    if (known !== undefined) return known.scope;
    const scope = new Map<string, Toolbox>();
    this.#limited.set(key, { names, scope });
    this.update();
    return scope;
  }

  update(): void {
    for (const { names, scope } of this.#limited.values()) {
      scope.clear();
      for (const name of names) {
        const toolbox = this.#all.get(name);
        if (toolbox !== undefined) scope.set(name, toolbox);
      }
    }
  }
}
