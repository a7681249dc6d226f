import type { VNode } from "preact";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { changeMember } from "../../form/drafts.ts";
import type { DraftGroup, GroupField } from "../../form/field.ts";
import { type FieldInputProps, labelOf, type NestedInput } from "./field-props.ts";

type GroupInputProps = FieldInputProps<GroupField> & NestedInput;

/** The members of an object. The arguments as a whole have no frame. */
export function GroupInput(props: GroupInputProps): VNode {
  const { field, draft, path, problems, onChange, input: Input } = props;
  const group: DraftGroup =
    typeof draft === "object" && "members" in draft ? draft : { members: {} };
  const inputs = field.fields.map((member) => (
    <Input
      key={member.name}
      field={member}
      draft={group.members[member.name] ?? ""}
      path={`${path}/${member.name}`}
      problems={problems}
      onChange={(next) => onChange(changeMember(group, member.name, next))}
    />
  ));
  if (path === "") return <div class="stack">{inputs}</div>;
  return (
    <fieldset class="group">
      <legend>
        {safeLine(labelOf(field)) || "Item"}
        {!field.isRequired && <span class="muted small"> optional</span>}
      </legend>
      {field.description !== "" && <p class="muted small wrap">{safeText(field.description)}</p>}
      {inputs}
    </fieldset>
  );
}
