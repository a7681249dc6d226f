/**
 * A part of the prelude: where the call of a tool is written. While a function runs, the engine reports the place
 * of its last argument, so the place is taken earlier, when the script reads the function: `got` is an error
 * that was created then. This is the place of the call only if the call follows at once, and not if the script
 * keeps the function in a variable, for example. The text of the script decides.
 */
export const CALL_PLACE = String.raw`
const { prototype: { indexOf, charCodeAt } } = String;
const PLACE = "script:";
// The script as it runs, so that places in it are places in this text.
let code = "";
function isWord(char) {
  return char !== undefined && (char >= "a" && char <= "z" || char >= "A" && char <= "Z" || char >= "0" && char <= "9" || char === "_" || char === "$" || char > "\u00a0" && char !== "\ufeff");
}
function wordEnd(i) {
  while (isWord(code[i])) i++;
  return i;
}
// Behind white space and comments.
function skipSpace(i) {
  for (;;) {
    const end = code[i] !== "/" ? -1 : code[i + 1] === "*" ? apply(indexOf, code, ["*/", i + 2]) : code[i + 1] === "/" ? apply(indexOf, code, ["\n", i]) : -1;
    if (end >= 0) i = end + (code[end] === "*" ? 2 : 1);
    else if (code[i] === " " || code[i] === "\n" || code[i] === "\t" || code[i] === "\r") i++;
    else return i;
  }
}
// Whether there is a call of a function, as in a.b["name"](.
function isCallAt(i, name) {
  let end = wordEnd(i);
  let last = apply(slice, code, [i, end]);
  if (last === "") return false;
  i = skipSpace(end);
  // The engine has reported the name in a[name](.
  if (code[i] === "]") {
    i = skipSpace(i + 1);
    last = name;
  }
  for (;;) {
    const isDot = code[i] === "." || code[i] === "?" && code[i + 1] === ".";
    if (isDot) i = skipSpace(i + (code[i] === "." ? 1 : 2));
    if (code[i] === "(") return last === name;
    if (code[i] === "[") {
      i = skipSpace(i + 1);
      const quote = code[i++];
      if (quote !== '"' && quote !== "'" && quote !== "\x60") return false;
      end = apply(indexOf, code, [quote, i]);
      if (end < 0) return false;
      last = apply(slice, code, [i, end]);
      i = skipSpace(end + 1);
      if (code[i++] !== "]") return false;
    } else {
      end = wordEnd(i);
      if (!isDot || end === i) return false;
      last = apply(slice, code, [i, end]);
      i = end;
    }
    i = skipSpace(i);
  }
}
// The first place of a stack trace as an index of the text. Its columns count bytes.
function indexIn(stack) {
  let at = apply(indexOf, stack, [PLACE]);
  if (at < 0) return -1;
  at += PLACE.length;
  let line = 0, column = 0, i = 0;
  for (; stack[at] >= "0" && stack[at] <= "9"; at++) line = line * 10 + +stack[at];
  for (at++; stack[at] >= "0" && stack[at] <= "9"; at++) column = column * 10 + +stack[at];
  for (; line > 1; line--) {
    i = apply(indexOf, code, ["\n", i]) + 1;
    if (i === 0) return -1;
  }
  for (; column > 1 && i < code.length; i++) {
    const char = apply(charCodeAt, code, [i]);
    // A character beyond U+FFFF is two, of two bytes each.
    column -= char < 0x80 ? 1 : char < 0x800 || char >= 0xd800 && char < 0xe000 ? 2 : 3;
  }
  return i;
}
function stackOf(at, got, name) {
  const i = typeof got.stack === "string" ? indexIn(got.stack) : -1;
  return i >= 0 && isCallAt(i, name) ? got.stack : at.stack;
}
// Moves an error to the call of a tool, unless it was thrown by code of the script, such as a toJSON.
function placed(error, got, name) {
  if (typeof error !== "object" || error === null || typeof error.stack !== "string") return error;
  const own = apply(indexOf, error.stack, ["prelude:"]), place = apply(indexOf, error.stack, [PLACE]);
  if (own >= 0 && (place < 0 || own < place)) defineProperty(error, "stack", { __proto__: null, value: stackOf(error, got, name), writable: true, configurable: true });
  return error;
}
`;
