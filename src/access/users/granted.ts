import type { Principal } from "../../calls/principal.ts";
import type { IdentityProvider, ScopeGrant } from "../../config/types.ts";

/** What a user may do, in the form in which a principal has it. */
export type GrantedAccess = Pick<Principal, "toolboxes" | "servers" | "readOnly" | "writable">;

type Scopes = IdentityProvider["scopes"];

/** What the scopes of a token allow together. Scopes that are not configured allow nothing. */
export function accessOf(granted: readonly string[], scopes: Scopes): GrantedAccess {
  const grants = [...new Set(granted)].flatMap((scope) =>
    Object.hasOwn(scopes, scope) ? [scopes[scope] as ScopeGrant] : [],
  );
  const writing = grants.filter(({ readOnly }) => !readOnly);
  const limits = grants.some(isWhole) ? {} : placesOf(grants);
  if (writing.some(isWhole)) return { ...limits, readOnly: false };
  if (writing.length === 0) return { ...limits, readOnly: true };
  if (writing.length === grants.length) return { ...limits, readOnly: false };
  return { ...limits, readOnly: true, writable: placesOf(writing) };
}

/** The configured scopes that allow something at an address, in their order. */
export function scopesFor(names: readonly string[], scopes: Scopes): readonly string[] {
  return Object.entries(scopes)
    .filter(([, grant]) => reaches(isWhole(grant) ? {} : placesOf([grant]), names))
    .map(([scope]) => scope);
}

/** What clients ask for, to get these scopes. */
export function requestsFor(names: readonly string[], scopes: Scopes): readonly string[] {
  return [...new Set(names.flatMap((scope) => scopes[scope]?.request ?? scope))];
}

/** Whether there is anything for this access at an address: all toolboxes, one, or a server. */
export function reaches(
  { toolboxes, servers }: Pick<GrantedAccess, "toolboxes" | "servers">,
  [toolbox, server]: readonly string[],
): boolean {
  if (toolboxes === undefined && servers === undefined) return true;
  if (toolbox === undefined) return (toolboxes ?? []).length + (servers ?? []).length > 0;
  if (toolboxes?.includes(toolbox)) return true;
  if (server !== undefined) return servers?.includes(`${toolbox}/${server}`) === true;
  return servers?.some((place) => place.startsWith(`${toolbox}/`)) === true;
}

function isWhole({ toolboxes, servers }: ScopeGrant): boolean {
  return toolboxes === undefined && servers === undefined;
}

/** Sorted, so that the same access is written in the same way. */
function placesOf(grants: readonly ScopeGrant[]): {
  readonly toolboxes: readonly string[];
  readonly servers: readonly string[];
} {
  const all = (lists: readonly (readonly string[] | undefined)[]): string[] =>
    [...new Set(lists.flatMap((list) => list ?? []))].sort();
  return {
    toolboxes: all(grants.map(({ toolboxes }) => toolboxes)),
    servers: all(grants.map(({ servers }) => servers)),
  };
}
