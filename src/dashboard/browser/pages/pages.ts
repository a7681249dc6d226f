import type { FunctionComponent } from "preact";
import type { Route } from "../route.ts";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { CallsPage } from "./calls/calls-page.tsx";
import { ConfigPage } from "./config/config-page.tsx";
import { LogsPage } from "./logs/logs-page.tsx";
import { PinsPage } from "./pins/pins-page.tsx";
import { SavingsPage } from "./savings/savings-page.tsx";
import { ServersPage } from "./servers/servers-page.tsx";
import { TokensPage } from "./tokens/tokens-page.tsx";
import { ToolsPage } from "./tools/tools-page.tsx";

export interface PageProps {
  readonly route: Route;
}

export interface PageEntry {
  /** In the address. */
  readonly page: string;
  readonly title: string;
  readonly component: FunctionComponent<PageProps>;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { page: "servers", title: "Servers", component: ServersPage },
  { page: "tools", title: "Tools", component: ToolsPage },
  { page: "calls", title: "Calls", component: CallsPage },
  { page: "approvals", title: "Approvals", component: ApprovalsPage },
  { page: "definitions", title: "Definitions", component: PinsPage },
  { page: "access", title: "Access tokens", component: TokensPage },
  { page: "savings", title: "Token savings", component: SavingsPage },
  { page: "logs", title: "Logs", component: LogsPage },
  { page: "configuration", title: "Configuration", component: ConfigPage },
];
