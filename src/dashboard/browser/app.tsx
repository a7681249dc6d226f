import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionInfo } from "../contract.ts";
import { AppContext, type Unsaved } from "./hooks/app-context.ts";
import type { Api } from "./net/api.ts";
import { ApiProblem, asProblem } from "./net/api-problem.ts";
import { followEvents, onOtherPage } from "./net/shared-stream.ts";
import { SignInWatch } from "./net/sign-in-watch.ts";
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

  const show = (info: SessionInfo): void => {
    api.setCsrf(info.csrf);
    setProblem(undefined);
    setSession(info);
  };
  const showSignedOut = (): void => {
    setSession(undefined);
    setProblem(SESSION_OVER);
  };
  const watch = useMemo(
    () =>
      new SignInWatch({
        readSession: () => api.read("/ui/api/session", {}),
        onSignedIn: show,
        onSignedOut: showSignedOut,
      }),
    [api],
  );
  useEffect(() => {
    api.onSignedOut = () => watch.onRefused();
    return onOtherPage(() => watch.onOtherSignedIn());
  }, [api, watch]);

  useEffect(() => {
    signIn(api, code)
      .then((info) => {
        watch.onSignedIn();
        show(info);
      })
      .catch((error: unknown) => {
        const why = asProblem(error);
        // Without a code, there is nothing to complain about yet.
        if (code !== undefined || why.status !== 401) setProblem(why);
      })
      .finally(() => setReady(true));
  }, [api, code, watch]);

  const unsaved = useRef<Unsaved>({ config: undefined });
  const store = useMemo(() => new Store(), [session]);
  useEffect(() => {
    if (session === undefined) return undefined;
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
    watch.onSignedOut();
    showSignedOut();
  };
  return (
    <AppContext.Provider value={{ api, store, session, unsaved: unsaved.current }}>
      <Shell onSignOut={signOut} />
    </AppContext.Provider>
  );
}
