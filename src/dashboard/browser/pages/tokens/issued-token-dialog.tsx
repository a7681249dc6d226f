import type { VNode } from "preact";
import type { IssuedToken } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";

interface IssuedTokenDialogProps {
  readonly issued: IssuedToken;
  readonly onClose: () => void;
}

/** Shows a token once; it is forgotten with the dialog. */
export function IssuedTokenDialog({ issued, onClose }: IssuedTokenDialogProps): VNode {
  return (
    <Dialog title={`Token ${safeLine(issued.name)}`} onClose={onClose}>
      <p>Copy the token now. It is not stored and cannot be shown again.</p>
      <code class="secret">{issued.token}</code>
      <div class="bar">
        <CopyButton text={issued.token} what="token" />
        <span class="spacer" />
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
