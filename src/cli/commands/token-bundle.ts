/** The implementation of `token`, loaded on first use. */
export { token } from "../token/token.ts";
