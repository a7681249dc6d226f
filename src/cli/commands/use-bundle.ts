/** The implementations of the commands that use the workbench, bundled together and loaded on first use. */
export { call } from "../use/call.ts";
export { demo } from "../use/demo.ts";
export { doctor } from "../doctor/doctor.ts";
export { list } from "../use/list.ts";
export { open } from "../use/open.ts";
export { search } from "../use/search.ts";
