import { canonicalEntry } from "../../clients/canonical.ts";
import { OTHER } from "../../clients/categories.ts";
import { describeToolbox } from "../../clients/describe.ts";
import { categoryOfServer } from "../../clients/propose.ts";

/** The description of a toolbox that is created for one server. */
export function descriptionFor(server: string, raw: unknown): string {
  const { entry = {} } = canonicalEntry(raw, { syntax: "braces" });
  const category = categoryOfServer(server, entry);
  return describeToolbox([server], category === OTHER ? undefined : category.purpose);
}
