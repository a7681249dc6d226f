import type { VNode } from "preact";
import type { ServerDetail, ServerSummary } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Failure } from "../../parts/failure.tsx";

interface RestartButtonProps {
  readonly server: ServerSummary;
  readonly onRestarted?: (server: ServerDetail) => void;
}

export function RestartButton({ server, onRestarted }: RestartButtonProps): VNode {
  const { api, store } = useApp();
  const { isBusy, problem, run } = useAction();
  const name = safeLine(`${server.toolbox}/${server.server}`);
  const restart = (): void =>
    run(async (signal) => {
      const { toolbox, server: own } = server;
      onRestarted?.(await api.change("/ui/api/server/restart", { toolbox, server: own }, signal));
      store.announce(`Restarted ${name}`);
    });
  return (
    <div>
      <button type="button" disabled={isBusy || server.state === "disabled"} onClick={restart}>
        {isBusy ? "Restarting …" : "Restart"}
        <span class="unseen"> {name}</span>
      </button>
      <Failure problem={problem} />
    </div>
  );
}
