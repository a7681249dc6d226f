import type { VNode } from "preact";
import { useApp } from "./hooks/app-context.ts";
import { useRoute } from "./hooks/use-route.ts";
import { useSearchKey } from "./hooks/use-search-key.ts";
import { useStore } from "./hooks/use-store.ts";
import { PAGES } from "./pages/pages.ts";
import { ConnectionBadge } from "./parts/connection-badge.tsx";
import { ConnectionNotice } from "./parts/connection-notice.tsx";
import { Empty } from "./parts/empty.tsx";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { Navigation } from "./parts/navigation.tsx";
import { Page } from "./parts/page.tsx";
import { HOME, linkTo } from "./route.ts";

const searchTools = (): void => {
  location.hash = linkTo("tools", [], { focus: "search" });
};

function skipToMain(event: Event): void {
  // A link to the element would change the address, which names the page.
  event.preventDefault();
  document.querySelector<HTMLElement>("main h1")?.focus();
}

/** Everything around the current page. */
export function Shell({ onSignOut }: { readonly onSignOut: () => void }): VNode {
  const { session } = useApp();
  const route = useRoute();
  const announcement = useStore((state) => state.announcement);
  useSearchKey(searchTools);
  const entry = PAGES.find(({ page }) => page === route.page);
  const Current = entry?.component;
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header class="head">
        <span class="brand">MCP Workbench</span>
        <span class="muted small version">{session.version}</span>
        <span class="spacer" />
        <ConnectionBadge />
        <button type="button" class="plain" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <Navigation pages={PAGES} current={route.page} />
      <main class="main stack" id="main">
        <ConnectionNotice />
        {Current === undefined ? (
          <Page title="Not found">
            <Empty title="This page does not exist">
              <a href={linkTo(HOME)}>Go to the servers</a>
            </Empty>
          </Page>
        ) : (
          <ErrorBoundary key={route.page}>
            <Current route={route} />
          </ErrorBoundary>
        )}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement}
      </div>
    </div>
  );
}
