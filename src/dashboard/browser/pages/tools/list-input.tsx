import type { VNode } from "preact";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { addItem, changeItem, removeItem } from "../../form/drafts.ts";
import type { DraftList, ListField } from "../../form/field.ts";
import { type FieldInputProps, labelOf, type NestedInput } from "./field-props.ts";

type ListInputProps = FieldInputProps<ListField> & NestedInput;

/** The items of a list, with buttons to add and remove them. */
export function ListInput(props: ListInputProps): VNode {
  const { field, draft, path, problems, onChange, input: Input } = props;
  const list: DraftList = typeof draft === "object" && "items" in draft ? draft : { items: [] };
  const name = safeLine(labelOf(field)) || "Items";
  const message = problems.find((problem) => problem.path === path)?.message;
  return (
    <fieldset class="group">
      <legend>
        {name}
        {!field.isRequired && <span class="muted small"> optional</span>}
      </legend>
      {field.description !== "" && <p class="muted small wrap">{safeText(field.description)}</p>}
      {list.items.map(({ key, draft: item }, i) => (
        <div key={key} class="item">
          <Input
            field={{ ...field.item, name: `${name} ${i + 1}` }}
            draft={item}
            path={`${path}/${i}`}
            problems={problems}
            onChange={(next) => onChange(changeItem(list, key, next))}
          />
          <button type="button" onClick={() => onChange(removeItem(list, key))}>
            Remove
            <span class="unseen">
              {" "}
              {name} {i + 1}
            </span>
          </button>
        </div>
      ))}
      {message !== undefined && (
        <span class="problem" role="alert">
          {message}
        </span>
      )}
      <div>
        <button type="button" onClick={() => onChange(addItem(list, field.item))}>
          Add to {name}
        </button>
      </div>
    </fieldset>
  );
}
