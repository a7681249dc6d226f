/** The implementations of the commands about pinned definitions, bundled together. */
export { diff } from "../pins/diff.ts";
export { lock } from "../pins/lock.ts";
export { trust } from "../pins/trust.ts";
