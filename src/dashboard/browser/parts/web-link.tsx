import type { VNode } from "preact";
import type { WebLink } from "../../contract.ts";
import { safeLine } from "../../../text/safe-text.ts";
import { Notice } from "./notice.tsx";

interface WebLinkNoticeProps {
  readonly link: WebLink;
  readonly onOpened?: () => void;
}

/** An address that a server wants the user to open: where it leads, and the whole of it. */
export function WebLinkNotice({ link: { url, origin }, onOpened }: WebLinkNoticeProps): VNode {
  return (
    <Notice tone="warn">
      <div class="stack tight">
        <p>
          The server wants you to open a page of <strong>{safeLine(origin)}</strong>:
        </p>
        <p class="small">
          <code>{safeLine(url)}</code>
        </p>
        {/^https?:\/\//.test(url) && (
          <p>
            <a
              class="button"
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              {...(onOpened !== undefined && { onClick: onOpened })}
            >
              Open the page
            </a>
          </p>
        )}
      </div>
    </Notice>
  );
}
