import type { ServerRef } from "../calls/identifier.ts";
import { isSkillUri } from "../protocol/skills-extension.ts";
import type { ListedItem } from "./requests/list-reader.ts";
import type { Slices } from "./slices.ts";

/** The lists of a server whose items can be pinned, besides its tools. */
export type PinnableList = "prompts" | "resources" | "resourceTemplates";

/** What a comparison of a server's tools with the approved ones shows. */
export interface ReviewedTools {
  /** Why tools may not be used, by their own names; empty if nothing is enforced. */
  readonly withheld: ReadonlyMap<string, string>;
  /** What the user should know. */
  readonly problems: readonly string[];
  /** Whether only what is approved may reach a model. */
  readonly isEnforced?: boolean;
}

/**
 * The definitions that the user has approved. An object never changes: when the approvals do, there is
 * a new one.
 */
export interface DefinitionPins {
  /** Whether definitions that are not approved are withheld from clients. */
  readonly isEnforced: boolean;
  /** Why nothing of a server may be used; undefined if that depends on the definition. */
  blockedReason(place: ServerRef): string | undefined;
  reviewTools(
    place: ServerRef,
    listed: readonly ListedItem[],
    instructions: string | undefined,
  ): ReviewedTools;
  /** The items of another list that may be shown. */
  approvedItems(
    place: ServerRef,
    list: PinnableList,
    items: readonly ListedItem[],
  ): readonly ListedItem[];
  approvesInstructions(place: ServerRef, instructions: string): boolean;
  /** Does the work for `reviewTools` in slices. */
  prepareTools(listed: readonly ListedItem[], slices: Slices): Promise<void>;
}

/** Where the approved definitions come from. */
export interface PinSource {
  /** Undefined if definitions are not pinned. Before `load`, nothing is approved. */
  readonly current: DefinitionPins | undefined;
  /** Reads the approved definitions, if that has not happened yet. Never rejects. */
  load(): Promise<void>;
}

/**
 * The items of a list that clients may see. Skills cannot be approved yet, so none of them are seen,
 * also not as resources.
 */
export function shownItems(
  pins: Pick<PinSource, "current"> | undefined,
  place: ServerRef,
  list: PinnableList | "skills",
  items: readonly ListedItem[],
): readonly ListedItem[] {
  const isEnforced = pins?.current?.isEnforced === true;
  if (list === "skills") return isEnforced ? [] : items;
  const approved = pins?.current?.approvedItems(place, list, items) ?? items;
  if (!isEnforced || list === "prompts") return approved;
  return approved.filter(({ value }) => !isSkillUri(value["uri"] ?? value["uriTemplate"]));
}
