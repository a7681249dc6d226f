/** A value in a shell script, with the name that it has there, if any. */
export interface ScriptValue {
  readonly name: string;
  readonly value: string;
  readonly start: number;
}

/** The option after which shells expect a script: `sh -c`, `bash -lc`, `cmd /c`, `pwsh -Command`. */
const RUNS_SCRIPT = /^(?:-[a-z]*c|\/[ck]|-command)$/i;
const WORD = /(?:[^\s"';&|()<>]+|"[^"]*"|'[^']*')+/g;
const NAMED = /^(--?[A-Za-z][\w-]*|[A-Za-z_]\w*)=(.*)$/s;
const HEADER = /^([A-Za-z][\w-]*):\s+(?=\S)/;
const OPTION = /^--?[A-Za-z][\w-]*$/;
/** What the shell replaces is not the value. */
const EXPANDED = /\$[\w({]|`/;

/** Whether an argument is a script, by the argument before it. */
export function isScript(text: string, before: string): boolean {
  return RUNS_SCRIPT.test(before) && /\s/.test(text);
}

/** The words of a script that may be secrets, without their quotes. */
export function valuesInScript(script: string): readonly ScriptValue[] {
  const words = Array.from(script.matchAll(WORD), ({ 0: text, index }) => ({ text, index }));
  return words.flatMap(({ text, index }, at): readonly ScriptValue[] => {
    const [, name, assigned] = NAMED.exec(text) ?? [];
    const raw = assigned ?? text;
    const quote = /^(["']).*\1$/s.exec(raw)?.[1] ?? "";
    const inner = quote === "" ? raw : raw.slice(1, -1);
    if (quote !== "'" && EXPANDED.test(inner)) return [];
    const header = HEADER.exec(inner);
    const before = words[at - 1]?.text ?? "";
    const option = OPTION.test(before) && !text.startsWith("-") ? before : "";
    const skipped = name === undefined ? (header?.[0].length ?? 0) : 0;
    const start = index + text.length - raw.length + quote.length + skipped;
    return [{ name: name ?? header?.[1] ?? option, value: inner.slice(skipped), start }];
  });
}
