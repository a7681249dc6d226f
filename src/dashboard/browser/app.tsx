import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SessionInfo } from "../contract.ts";
import { AppContext } from "./hooks/app-context.ts";
import type { Api } from "./net/api.ts";
import { ApiProblem, asProblem } from "./net/api-problem.ts";
import { openEventStream } from "./net/event-stream.ts";
import { SignedOut } from "./parts/signed-out.tsx";
import { Shell } from "./shell.tsx";
import { Store } from "./state/store.ts";

interface AppProps {
  readonly api: Api;
  /** The one-time code of the address. */
  readonly code: string | undefined;
}

const SESSION_OVER = new ApiProblem(401, "unauthorized", "You are signed out.", "");

/** Signs in, opens the event stream and shows the page. */
export function App({ api, code }: AppProps): VNode | null {
  const [session, setSession] = useState<SessionInfo>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isReady, setReady] = useState(false);

  useEffect(() => {
    const signIn =
      code === undefined ? api.read("/ui/api/session", {}) : api.change("/ui/login", { code });
    signIn
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

  const store = useMemo(() => new Store(), [session]);
  useEffect(() => {
    if (session === undefined) return undefined;
    const signOut = (): void => {
      setSession(undefined);
      setProblem(SESSION_OVER);
    };
    api.onSignedOut = signOut;
    return openEventStream({
      onEvent: (event) => store.onEvent(event),
      setConnection: (connection) => store.setConnection(connection),
      isStillSignedIn: () =>
        api.read("/ui/api/session", {}).then(
          () => true,
          (error: unknown) => asProblem(error).status !== 401,
        ),
      onSessionEnd: signOut,
    });
  }, [api, session, store]);

  if (!isReady) return null;
  if (session === undefined) return <SignedOut problem={problem} />;
  const signOut = (): void => {
    void api.change("/ui/logout", {}).catch(() => undefined);
    setSession(undefined);
    setProblem(SESSION_OVER);
  };
  return (
    <AppContext.Provider value={{ api, store, session }}>
      <Shell onSignOut={signOut} />
    </AppContext.Provider>
  );
}
