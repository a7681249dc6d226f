import type { VNode } from "preact";
import type { Savings, SavingsEntry } from "../../../contract.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { formatCount, formatDate } from "../../format.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { Figures } from "../../parts/figures.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { linkTo } from "../../route.ts";

/** The tokens that clients have saved. */
export function SavingsPage(): VNode {
  const savings = useResource("/ui/api/savings", {}, { topics: ["savings"] });
  return (
    <Page title="Token savings">
      <Loaded resource={savings}>{(data) => <SavedTokens savings={data} />}</Loaded>
    </Page>
  );
}

function SavedTokens({ savings }: { readonly savings: Savings }): VNode {
  const { isCounting, since, total, entries, damagedFile } = savings;
  return (
    <>
      {!isCounting && (
        <Notice tone="warn">
          Tokens are not counted. Set <code>{`"countTokens": true`}</code> in the{" "}
          <a href={linkTo("configuration")}>configuration</a> to count what your clients save.
        </Notice>
      )}
      {damagedFile !== null && (
        <Notice tone="warn">
          Earlier counts were damaged and moved to {safeText(damagedFile)}.
        </Notice>
      )}
      {entries.length === 0 ? (
        <Empty title="Nothing counted yet">
          Counts appear a few seconds after the first calls of a client.
        </Empty>
      ) : (
        <>
          <Figures
            figures={[
              ["Saved in all", formatCount(total.saved)],
              ["Definitions not sent", formatCount(total.start)],
              ["Results shortened", formatCount(total.results)],
              ["Kept inside scripts", formatCount(total.scripts)],
              ["Spent on finding tools", formatCount(total.discovery)],
            ]}
          />
          {since !== null && (
            <p class="muted">Estimated tokens since {formatDate(Date.parse(since))}.</p>
          )}
          <Table
            caption="Saved tokens by client and toolbox"
            columns={COLUMNS}
            rows={entries}
            keyOf={({ kind, client, toolbox }) => JSON.stringify([kind, client, toolbox])}
          />
        </>
      )}
    </>
  );
}

const count = (
  title: string,
  key: "saved" | "start" | "results" | "scripts" | "discovery",
): Column<SavingsEntry> => ({
  title,
  kind: "number",
  cell: (entry) => formatCount(entry[key]),
});

const COLUMNS: readonly Column<SavingsEntry>[] = [
  {
    title: "Client",
    kind: "head",
    cell: ({ client, kind }) => (
      <>
        {safeLine(client)} {kind !== "client" && <span class="muted small">{kind}</span>}
      </>
    ),
  },
  { title: "Toolbox", cell: ({ toolbox }) => (toolbox === null ? "–" : safeLine(toolbox)) },
  count("Saved", "saved"),
  count("Definitions", "start"),
  count("Results", "results"),
  count("Scripts", "scripts"),
  count("Spent on finding", "discovery"),
];
