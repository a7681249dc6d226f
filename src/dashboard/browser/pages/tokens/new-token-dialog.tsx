import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { IssuedToken } from "../../../contract.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Select } from "../../parts/select.tsx";
import { ToolboxChoice } from "./toolbox-choice.tsx";

interface NewTokenDialogProps {
  readonly onIssued: (issued: IssuedToken) => void;
  readonly onClose: () => void;
}

const EXPIRIES = [
  ["1d", "in a day"],
  ["30d", "in 30 days"],
  ["365d", "in a year"],
  ["", "never"],
] as const;

export function NewTokenDialog({ onIssued, onClose }: NewTokenDialogProps): VNode {
  const { api } = useApp();
  const action = useAction();
  const id = useId();
  const [name, setName] = useState("");
  const [toolboxes, setToolboxes] = useState<readonly string[]>([]);
  const [readOnly, setReadOnly] = useState(false);
  const [expires, setExpires] = useState<(typeof EXPIRIES)[number][0]>("30d");
  const { data } = useResource("/ui/api/servers", { limit: "1" });
  const create = (event: Event): void => {
    event.preventDefault();
    action.run(async (signal) => {
      const request = {
        name: name.trim(),
        readOnly,
        ...(toolboxes.length > 0 && { toolboxes }),
        ...(expires !== "" && { expires }),
      };
      onIssued(await api.change("/ui/api/tokens/create", request, signal));
    });
  };
  return (
    <Dialog title="New access token" onClose={onClose}>
      <form class="stack" onSubmit={create}>
        <div class="field">
          <label for={id}>Name</label>
          <input
            id={id}
            value={name}
            required
            autocomplete="off"
            placeholder="such as ci or alice"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </div>
        <ToolboxChoice
          all={data?.toolboxes.map((toolbox) => toolbox.name) ?? []}
          chosen={toolboxes}
          onChange={setToolboxes}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={readOnly}
            onChange={({ currentTarget }) => setReadOnly(currentTarget.checked)}
          />
          Only tools that read
        </label>
        <Select label="Expires" value={expires} choices={EXPIRIES} onChange={setExpires} />
        <Failure problem={action.problem} />
        <div class="bar">
          <span class="spacer" />
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={action.isBusy || name.trim() === ""}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
