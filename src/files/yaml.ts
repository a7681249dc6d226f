/** Everything about YAML, loaded together because it shares a parser. */
export { yaml } from "./yaml-edit.ts";
export { namedList } from "./yaml-list.ts";
