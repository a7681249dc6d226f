const WIDTH = 100;

/** Formats JSON as a person would: what fits on one line stays on one line. */
export function formatJson(value: unknown, indent = "", before = 0): string {
  const inline = inlineText(value);
  const isShort = indent.length + before + inline.length <= WIDTH;
  if (typeof value !== "object" || value === null || (isShort && isFlat(value))) return inline;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item: unknown) => inner + formatJson(item, inner))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return inner + name + formatJson(item, inner, name.length + 1);
      });
  const [open, close] = isList ? "[]" : "{}";
  return lines.length === 0 ? inline : `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** Whether it is a list or object of plain values only. */
function isFlat(value: object): boolean {
  return Object.values(value).every((item) => typeof item !== "object" || item === null);
}

function inlineText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${inlineText(item)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
