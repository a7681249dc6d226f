import type { VNode } from "preact";
import type { Draft, Field, FieldProblem } from "../../form/field.ts";

/** What every input of a field gets. */
export interface FieldInputProps<F extends Field = Field> {
  readonly field: F;
  readonly draft: Draft;
  /** Of the field, as a JSON pointer. */
  readonly path: string;
  /** Of the whole form. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (draft: Draft) => void;
}

/** The input for fields inside of a field; inputs contain each other. */
export interface NestedInput {
  readonly input: (props: FieldInputProps) => VNode;
}

/** What a field is called in the form. */
export function labelOf({ name, title }: Field): string {
  return name || title;
}
