/** The addresses of the workbench. */
export type Route =
  | { readonly kind: "mcp"; readonly names: readonly string[] }
  /** What clients read to find the identity provider; without names for the whole workbench. */
  | { readonly kind: "resource"; readonly names: readonly string[] | undefined }
  | { readonly kind: "health" | "ready" | "status" | "metrics" | "nothing" };

const NOTHING: Route = { kind: "nothing" };
const ALL: Route = { kind: "mcp", names: [] };
const MAX_NAMES = 2;
export const RESOURCE_PATH = "/.well-known/oauth-protected-resource";

/** The route of a request target. Names are decoded once; anything unusual has no route. */
export function routeOf(target: string): Route {
  // What nearly every request asks for.
  if (target === "/mcp") return ALL;
  const path = pathOf(target);
  if (path === "/healthz") return { kind: "health" };
  if (path === "/readyz") return { kind: "ready" };
  if (path === "/api/status") return { kind: "status" };
  if (path === "/metrics") return { kind: "metrics" };
  if (path === RESOURCE_PATH) return { kind: "resource", names: undefined };
  if (path.startsWith(`${RESOURCE_PATH}/`)) {
    const about = mcpRoute(path.slice(RESOURCE_PATH.length));
    return about.kind === "mcp" ? { kind: "resource", names: about.names } : NOTHING;
  }
  return mcpRoute(path);
}

function mcpRoute(path: string): Route {
  const [empty, root, ...segments] = path.split("/");
  if (empty !== "" || root !== "mcp" || segments.length > MAX_NAMES) return NOTHING;
  try {
    const names = segments.map((segment) => decodeURIComponent(segment));
    return names.includes("") ? NOTHING : { kind: "mcp", names };
  } catch {
    return NOTHING;
  }
}

/** The target without its query, which may contain secrets. */
export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}
