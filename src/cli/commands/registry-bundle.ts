/** The implementation of `registry`, loaded on first use. */
export { registry } from "../registry/registry.ts";
