import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ToolDetail, ToolName } from "../../../contract.ts";
import { asText, isObject } from "../../../../text/json.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { formatCount } from "../../format.ts";
import { useApp } from "../../hooks/app-context.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Output } from "../../parts/output.tsx";
import { linkTo } from "../../route.ts";
import { TryTool } from "./try-tool.tsx";

const CLASSES: Readonly<Record<ToolDetail["class"], readonly [Tone, string]>> = {
  read: ["good", "Reads only"],
  write: ["warn", "Makes changes"],
  destructive: ["bad", "May delete or overwrite"],
};

/** One tool: what it does, its definition, and a form to try it. */
export function ToolView(tool: ToolName): VNode {
  const { toolbox, server, name } = tool;
  const detail = useResource("/ui/api/tool", { toolbox, server, name }, { topics: ["tools"] });
  return (
    <section class="card" aria-label="Tool">
      <Loaded resource={detail}>{(data) => <ToolDetails tool={data} />}</Loaded>
    </section>
  );
}

function ToolDetails({ tool }: { readonly tool: ToolDetail }): VNode {
  const { toolbox, server, name, title, definition } = tool;
  const { store } = useApp();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    store.announce(`Showing ${safeLine(name)}`);
    // Where the list is above the tool, the tool would be out of view.
    if (matchMedia("(max-width: 820px)").matches) heading.current?.scrollIntoView();
  }, [store, name]);
  const [tone, text] = CLASSES[tool.class] ?? ["neutral", tool.class];
  const description = isObject(definition) ? asText(definition["description"]) : "";
  return (
    <>
      <div class="stack tight">
        <h2 class="wrap" ref={heading}>
          {safeLine(name)}
        </h2>
        {title !== null && title !== name && <p class="muted wrap">{safeLine(title)}</p>}
        <div class="bar">
          <a href={linkTo("servers", [toolbox, server])}>{safeLine(`${toolbox}/${server}`)}</a>
          <Badge tone={tone} text={text} />
          <span class="muted small">{formatCount(tool.tokens)} tokens</span>
        </div>
      </div>
      <p class="wrap description">{safeText(description || tool.description)}</p>
      <TryTool tool={tool} />
      <details>
        <summary>Definition</summary>
        <Output text={JSON.stringify(definition, undefined, 2)} label="Definition of the tool" />
      </details>
    </>
  );
}
