import type { ComponentChildren, VNode } from "preact";

export interface Column<T> {
  readonly title: string;
  readonly kind?: "number" | "actions" | "head";
  readonly cell: (row: T) => ComponentChildren;
}

interface TableProps<T> {
  /** What the table is about, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/**
 * A table. On narrow screens each row becomes a card; browsers then forget what is a table, so the roles
 * are written out.
 */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>): VNode {
  return (
    <div class="scroll">
      <table class="cards" role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, kind }) => (
              <th key={title} role="columnheader" scope="col" class={kind === "number" ? kind : ""}>
                {kind === "actions" ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.title} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<T> {
  readonly column: Column<T>;
  readonly row: T;
}

function Cell<T>({ column: { title, kind, cell }, row }: CellProps<T>): VNode {
  if (kind === "head")
    return (
      <th role="rowheader" scope="row" class="words">
        {cell(row)}
      </th>
    );
  return (
    <td role="cell" class={kind ?? "words"} {...(kind !== "actions" && { "data-label": title })}>
      {cell(row)}
    </td>
  );
}
