import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../hooks/app-context.ts";
import { useResource } from "../hooks/use-resource.ts";
import { counted } from "../format.ts";
import { linkTo } from "../route.ts";

interface NavigationProps {
  readonly pages: readonly { readonly page: string; readonly title: string }[];
  readonly current: string;
}

/** The pages, with the number of approvals that wait. */
export function Navigation({ pages, current }: NavigationProps): VNode {
  const { store } = useApp();
  const pending = useResource("/ui/api/approvals", {}, { topics: ["approvals"] }).data?.pending;
  const waiting = pending?.length ?? 0;
  const newest = pending?.at(-1);
  const announced = useRef("");
  useEffect(() => store.setWaiting(waiting), [store, waiting]);
  useEffect(() => {
    if (newest === undefined || newest.id === announced.current) return;
    announced.current = newest.id;
    store.announce(`${counted(waiting, "approval")} waiting`);
  }, [store, newest?.id, waiting]);
  return (
    <nav class="nav" aria-label="Pages">
      <ul>
        {pages.map(({ page, title }) => (
          <li key={page}>
            <a href={linkTo(page)} {...(page === current && { "aria-current": "page" as const })}>
              {title}
              {page === "approvals" && waiting > 0 && (
                <span class="count">
                  {waiting}
                  <span class="unseen"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
