/** The addresses of the workbench. */
export type Route =
  | { readonly kind: "mcp"; readonly names: readonly string[] }
  | { readonly kind: "health" | "status" | "metrics" | "nothing" };

const NOTHING: Route = { kind: "nothing" };
const MAX_NAMES = 2;

/** The route of a request target. Names are decoded once; anything unusual has no route. */
export function routeOf(target: string): Route {
  const path = pathOf(target);
  if (path === "/healthz") return { kind: "health" };
  if (path === "/api/status") return { kind: "status" };
  if (path === "/metrics") return { kind: "metrics" };
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
