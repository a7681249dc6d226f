import type { VNode } from "preact";
import { safeLine } from "../../../../text/safe-text.ts";

interface ToolboxChoiceProps {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The toolboxes of a token. None chosen means all, as on the command line. */
export function ToolboxChoice({ all, chosen, onChange }: ToolboxChoiceProps): VNode {
  return (
    <fieldset class="group">
      <legend>
        Toolboxes <span class="muted small">none chosen: all, also later ones</span>
      </legend>
      {all.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          {safeLine(name)}
        </label>
      ))}
    </fieldset>
  );
}
