import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ServerName, SignInLink } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Failure } from "../../parts/failure.tsx";
import { Notice } from "../../parts/notice.tsx";

/** Links of the workbench lead to this machine. No other address is ever opened. */
const OWN_LINK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+\/[\w/-]*$/;

/** Signs in to a server, on a page of its own. */
export function SignInButton({ toolbox, server }: ServerName): VNode {
  const { api } = useApp();
  const { isBusy, problem, run } = useAction();
  const [link, setLink] = useState<SignInLink>();
  const name = safeLine(`${toolbox}/${server}`);
  const begin = (): void =>
    run(async (signal) => {
      setLink(await api.change("/ui/api/server/sign-in", { toolbox, server }, signal));
    });
  return (
    <div class="stack tight">
      {link !== undefined && OWN_LINK.test(link.url) ? (
        <Notice>
          <div class="stack tight" role="status">
            <p>You leave the dashboard for the sign-in page of {safeLine(link.origin)}.</p>
            <p>
              <a
                class="button primary"
                href={link.url}
                target="_blank"
                rel="noopener noreferrer"
                onClick={() => setLink(undefined)}
              >
                Open the sign-in page
              </a>
            </p>
            <p class="muted small">
              The link works once, for ten minutes, in a browser on the machine of the workbench.
            </p>
          </div>
        </Notice>
      ) : (
        <div>
          <button type="button" class="primary" disabled={isBusy} onClick={begin}>
            Sign in<span class="unseen"> to {name}</span>
          </button>
        </div>
      )}
      <Failure problem={problem} />
    </div>
  );
}
