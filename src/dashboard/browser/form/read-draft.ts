import type { Draft, Field, FieldProblem } from "./field.ts";
import { readNumber, readText } from "./read-scalars.ts";

/** The value to send, or undefined for "not sent", and what is wrong with what was entered. */
export interface Reading {
  readonly value: unknown;
  readonly problems: readonly FieldProblem[];
}

/** Reads what a user has entered into a form. */
export function readDraft(field: Field, draft: Draft, path = ""): Reading {
  if (isEmpty(draft)) return emptyReading(field, path);
  if (field.kind === "group") return readGroup(field, draft, path);
  if (field.kind === "list") return readList(field, draft, path);
  return readScalar(field, typeof draft === "string" ? draft : "", path);
}

/** Whether nothing was entered. A member with a default that was kept is something. */
function isEmpty(draft: Draft): boolean {
  if (typeof draft === "string") return draft === "";
  if ("items" in draft) return draft.items.length === 0;
  return Object.values(draft.members).every(isEmpty);
}

function emptyReading(field: Field, path: string): Reading {
  if (!field.isRequired) return { value: undefined, problems: [] };
  if (field.isNullable) return { value: null, problems: [] };
  if (field.kind === "list") return readList(field, { items: [] }, path);
  if (field.kind === "group") return readGroup(field, { members: {} }, path);
  const hint = field.kind === "text" ? " To send an empty text, use “Edit as JSON”." : "";
  return { value: undefined, problems: [{ path, message: `A value is required.${hint}` }] };
}

function readGroup(field: Extract<Field, { kind: "group" }>, draft: Draft, path: string): Reading {
  const members = typeof draft === "object" && "members" in draft ? draft.members : {};
  const problems: FieldProblem[] = [];
  const value: [string, unknown][] = [];
  for (const member of field.fields) {
    const entered = Object.hasOwn(members, member.name) ? members[member.name] : undefined;
    const reading = readDraft(member, entered ?? "", `${path}/${member.name}`);
    problems.push(...reading.problems);
    if (reading.value !== undefined) value.push([member.name, reading.value]);
  }
  return { value: Object.fromEntries(value), problems };
}

function readList(field: Extract<Field, { kind: "list" }>, draft: Draft, path: string): Reading {
  const items = typeof draft === "object" && "items" in draft ? draft.items : [];
  const readings = items.map((item, i) => readDraft(field.item, item.draft, `${path}/${i}`));
  const problems = readings.flatMap((reading) => reading.problems);
  const { minItems, maxItems } = field;
  if (items.length < minItems) problems.push({ path, message: `Add at least ${minItems} items.` });
  if (items.length > maxItems)
    problems.push({ path, message: `No more than ${maxItems} items are allowed.` });
  return { value: readings.map((reading) => reading.value), problems };
}

function readScalar(field: Field, text: string, path: string): Reading {
  const wrong = (message: string): Reading => ({ value: undefined, problems: [{ path, message }] });
  switch (field.kind) {
    case "text": {
      const problem = readText(field, text);
      return problem === undefined ? { value: text, problems: [] } : wrong(problem);
    }
    case "number": {
      const { value, problem } = readNumber(field, text);
      return problem === undefined ? { value, problems: [] } : wrong(problem);
    }
    case "boolean":
      return { value: text === "true", problems: [] };
    case "choice":
      return { value: field.choices[Number(text)], problems: [] };
    default:
      try {
        return { value: JSON.parse(text) as unknown, problems: [] };
      } catch {
        return wrong(`This is not JSON. Texts need quotes: "example".`);
      }
  }
}
