import { definitionChanges } from "../../pins/definition-changes.ts";
import type { Difference } from "../../pins/differences.ts";
import type { PinDifference, ServerName } from "../contract.ts";

const MAX_TEXT_CHARS = 20_000;
/** Of further differences, no person reads every word in a browser. */
const MAX_COMPARED = 500;

/** The differences of a server, as its page shows them. */
export function shownDifferences(
  all: readonly Difference[],
  name: ServerName,
): readonly PinDifference[] {
  return all.map((one, index) =>
    index < MAX_COMPARED ? shownDifference(one) : unshownDifference(one, name),
  );
}

function shownDifference(difference: Difference): PinDifference {
  const { what, name, change, severity, reasons, before, after } = difference;
  const isComparable = change !== "changed" || before !== undefined;
  const values =
    change === "removed" || after === undefined
      ? []
      : definitionChanges(isComparable ? before : undefined, after);
  return {
    what,
    name,
    change,
    severity,
    reasons,
    values: values.map(({ path, parts }) => ({
      path,
      parts: parts.map(({ mark, text }) => ({ mark, text: text.slice(0, MAX_TEXT_CHARS) })),
    })),
  };
}

function unshownDifference(difference: Difference, { toolbox, server }: ServerName): PinDifference {
  const { what, name, change, severity, reasons } = difference;
  const hint = `too much to show here: mcp-workbench diff ${toolbox}/${server}`;
  return { what, name, change, severity, reasons: [...reasons, hint], values: [] };
}
