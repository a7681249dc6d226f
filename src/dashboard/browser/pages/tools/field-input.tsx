import type { VNode } from "preact";
import type { FieldInputProps } from "./field-props.ts";
import { GroupInput } from "./group-input.tsx";
import { ListInput } from "./list-input.tsx";
import { ScalarInput } from "./scalar-input.tsx";

/** The input for a field of any kind. */
export function FieldInput(props: FieldInputProps): VNode {
  const { field, ...rest } = props;
  if (field.kind === "group") return <GroupInput {...rest} field={field} input={FieldInput} />;
  if (field.kind === "list") return <ListInput {...rest} field={field} input={FieldInput} />;
  return <ScalarInput {...rest} field={field} />;
}
