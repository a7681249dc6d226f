import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SessionInfo } from "../../contract.ts";
import type { Api } from "../net/api.ts";
import type { Store } from "../state/store.ts";

/** What every part of the page can use. */
export interface App {
  readonly api: Api;
  readonly store: Store;
  readonly session: SessionInfo;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("This part is outside of the application.");
  return app;
}
