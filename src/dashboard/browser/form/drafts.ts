import { isObject } from "../../../text/json.ts";
import type { Draft, DraftGroup, DraftList, Field } from "./field.ts";

/** What a field contains before the user enters anything: its default, or as few items as are allowed. */
export function initialDraft(field: Field): Draft {
  return draftOf(field, field.initial);
}

/** What a user would have to enter for a value. */
export function draftOf(field: Field, value: unknown): Draft {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? value : "";
    case "number":
      return typeof value === "number" ? String(value) : "";
    case "boolean":
      return typeof value === "boolean" ? String(value) : "";
    case "choice": {
      const wanted = JSON.stringify(value);
      const index = field.choices.findIndex((choice) => JSON.stringify(choice) === wanted);
      return index < 0 ? (isFixed(field) ? "0" : "") : String(index);
    }
    case "json":
      return value === undefined ? "" : JSON.stringify(value, undefined, 2);
    case "list": {
      const values: readonly unknown[] = Array.isArray(value) ? value : [];
      return { items: values.map((one, key) => ({ key, draft: draftOf(field.item, one) })) };
    }
    case "group": {
      const given = isObject(value) ? value : {};
      const members = field.fields.map((member): [string, Draft] => [
        member.name,
        draftOf(member, Object.hasOwn(given, member.name) ? given[member.name] : member.initial),
      ]);
      return { members: Object.fromEntries(members) };
    }
  }
}

/** A required field with one possible value needs no choice. */
function isFixed(field: Extract<Field, { kind: "choice" }>): boolean {
  return field.isRequired && field.choices.length === 1 && !field.isNullable;
}

export function addItem(list: DraftList, item: Field): DraftList {
  const key = Math.max(-1, ...list.items.map((one) => one.key)) + 1;
  return { items: [...list.items, { key, draft: initialDraft(item) }] };
}

export function removeItem(list: DraftList, key: number): DraftList {
  return { items: list.items.filter((one) => one.key !== key) };
}

export function changeItem(list: DraftList, key: number, draft: Draft): DraftList {
  return { items: list.items.map((one) => (one.key === key ? { key, draft } : one)) };
}

export function changeMember(group: DraftGroup, name: string, draft: Draft): DraftGroup {
  return { members: { ...group.members, [name]: draft } };
}
