import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ConfigView, SessionInfo } from "../../contract.ts";
import type { Api } from "../net/api.ts";
import type { Store } from "../state/store.ts";

/** What every part of the page can use. */
export interface App {
  readonly api: Api;
  readonly store: Store;
  readonly session: SessionInfo;
  readonly unsaved: Unsaved;
}

/** What was typed and is neither saved nor discarded. It outlives the page where it was typed. */
export interface Unsaved {
  config: { readonly base: ConfigView; readonly text: string } | undefined;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("This part is outside of the application.");
  return app;
}
