/** What the thorough path of `parseConfig` needs; loaded for configurations that the fast one cannot decide. */
export { isForeignSignIn, translateSignIn } from "./foreign-sign-in.ts";
export { ALL_RULES } from "../check/all-rules.ts";
export { reachOf } from "../secret-reach.ts";
export { misplacedSecrets, secretTexts } from "./secret-texts.ts";
export * as references from "./secret-syntax.ts";
export { readDocument } from "./syntax.ts";
