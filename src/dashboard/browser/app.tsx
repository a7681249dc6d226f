import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionInfo } from "../contract.ts";
import { AppContext, type Unsaved } from "./hooks/app-context.ts";
import type { Api } from "./net/api.ts";
import { ApiProblem, asProblem } from "./net/api-problem.ts";
import { followEvents } from "./net/shared-stream.ts";
import { SIGNED_OUT, SignedOut } from "./parts/signed-out.tsx";
import { Shell } from "./shell.tsx";
import { Store } from "./state/store.ts";

/** With a link that was used before, the browser may be signed in already. */
async function signIn(api: Api, code: string | undefined): Promise<SessionInfo> {
  const current = (): Promise<SessionInfo> => api.read("/ui/api/session", {});
  if (code === undefined) return current();
  return api.change("/ui/login", { code }).catch((error: unknown) =>
    current().catch(() => {
      throw error;
    }),
  );
}

interface AppProps {
  readonly api: Api;
  /** The one-time code of the address. */
  readonly code: string | undefined;
}

const SESSION_OVER = new ApiProblem(401, SIGNED_OUT, "You are signed out.", "");

/** Signs in, opens the event stream and shows the page. */
export function App({ api, code }: AppProps): VNode | null {
  const [session, setSession] = useState<SessionInfo>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isReady, setReady] = useState(false);

  useEffect(() => {
    signIn(api, code)
      .then((info) => {
        api.setCsrf(info.csrf);
        setSession(info);
      })
      .catch((error: unknown) => {
        const why = asProblem(error);
        // Without a code, there is nothing to complain about yet.
        if (code !== undefined || why.status !== 401) setProblem(why);
      })
      .finally(() => setReady(true));
  }, [api, code]);

  const unsaved = useRef<Unsaved>({ config: undefined });
  const store = useMemo(() => new Store(), [session]);
  useEffect(() => {
    if (session === undefined) return undefined;
    const signOut = (): void => {
      setSession(undefined);
      setProblem(SESSION_OVER);
    };
    api.onSignedOut = signOut;
    return followEvents({
      onEvent: (event) => store.onEvent(event),
      setConnection: (connection) => store.setConnection(connection),
      isStillSignedIn: () =>
        api.read("/ui/api/session", {}).then(
          () => true,
          (error: unknown) => asProblem(error).status !== 401,
        ),
    });
  }, [api, session, store]);

  if (!isReady) return null;
  if (session === undefined) return <SignedOut problem={problem} />;
  const signOut = (): void => {
    void api.change("/ui/logout", {}).catch(() => undefined);
    unsaved.current.config = undefined;
    setSession(undefined);
    setProblem(SESSION_OVER);
  };
  return (
    <AppContext.Provider value={{ api, store, session, unsaved: unsaved.current }}>
      <Shell onSignOut={signOut} />
    </AppContext.Provider>
  );
}
