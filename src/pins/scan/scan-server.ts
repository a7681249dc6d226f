import { KIND_OF, type ObservedServer, hasText } from "../observed-server.ts";
import { LOCKED_LISTS } from "../lock-file.ts";
import { ForeignTools, isFinding, scanTexts, textsIn } from "./scan.ts";

/** A definition whose text may be meant to mislead a model. */
export interface ScanFinding {
  readonly what: "tool" | "prompt" | "resourceTemplate" | "instructions";
  readonly name: string;
  readonly signals: readonly string[];
}

/** Scans everything that a server defines; `foreignTools` are the tools of the other servers. */
export function scanServer(
  { instructions, items }: Pick<ObservedServer, "instructions" | "items">,
  foreignTools: ReadonlySet<string>,
): ScanFinding[] {
  const foreign = new ForeignTools(items.tools.keys(), foreignTools);
  const found: ScanFinding[] = [];
  const scan = (what: ScanFinding["what"], name: string, value: unknown): void => {
    const result = scanTexts(textsIn(value), foreign);
    if (isFinding(result)) found.push({ what, name, signals: [...result.hard, ...result.soft] });
  };
  for (const list of LOCKED_LISTS)
    for (const [name, { value }] of items[list]) scan(KIND_OF[list], name, value);
  if (hasText(instructions)) scan("instructions", "", instructions);
  return found;
}
