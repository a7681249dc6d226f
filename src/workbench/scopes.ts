import type { Server } from "../servers/server.ts";
import type { Toolbox } from "../toolboxes/toolbox.ts";

/** The toolboxes a client may use. */
export type Scope = ReadonlyMap<string, Toolbox>;

/** The servers of a scope, in the order of the configuration. */
export function serversIn(scope: Scope): Server[] {
  return Array.from(scope.values()).flatMap(({ servers }) => [...servers.values()]);
}

/** Keeps the scopes that were handed out in step with the toolboxes there are. */
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
