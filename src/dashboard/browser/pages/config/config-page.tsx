import type { VNode } from "preact";
import { safeText } from "../../../../text/safe-text.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Badge } from "../../parts/badge.tsx";
import { Command } from "../../parts/command.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { ConfigEditor } from "./config-editor.tsx";
import { Proposals } from "./proposals.tsx";
import { UndoChange } from "./undo-change.tsx";

/** The configuration file: its problems, changes to it, and what waits for the terminal. */
export function ConfigPage(): VNode {
  const config = useResource("/ui/api/config", {}, { topics: ["config"] });
  return (
    <Page title="Configuration">
      <Loaded resource={config}>
        {(view) =>
          view.file === null ? (
            <Empty title="There is no configuration file">
              <p>The workbench was started without one. This command writes it:</p>
              <Command text="mcp-workbench init" />
            </Empty>
          ) : (
            <>
              <div class="bar">
                <code class="wrap">{safeText(view.file)}</code>
                {view.isInEffect ? (
                  <Badge tone="good" text="In effect" />
                ) : (
                  <Badge tone="bad" text="Not in effect" />
                )}
                <span class="spacer" />
                {view.undo !== null && <UndoChange change={view.undo} onUndone={config.set} />}
              </div>
              <Proposals proposals={view.proposals} onChanged={config.set} />
              <ConfigEditor view={view} onSaved={config.set} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
