import { useEffect, useState } from "preact/hooks";
import { parseRoute, type Route } from "../route.ts";

export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const onChange = (): void => setFragment(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return parseRoute(fragment);
}

/** Goes to a place without a new entry in the history, such as another search. */
export function replaceRoute(link: string): void {
  if (link === location.hash) return;
  history.replaceState(null, "", link);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
