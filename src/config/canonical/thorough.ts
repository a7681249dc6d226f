/** What the thorough path of `parseConfig` needs; loaded for configurations that the fast one cannot decide. */
export { isForeignSignIn, translateSignIn } from "./foreign-sign-in.ts";
export { reachOf } from "../secret-reach.ts";
export { misplacedSecrets, secretTexts } from "./secret-texts.ts";
export { readDocument } from "./syntax.ts";
