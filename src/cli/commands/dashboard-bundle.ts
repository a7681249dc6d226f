/** The implementation of the command `dashboard`, loaded on first use. */
export { dashboard } from "../dashboard/dashboard.ts";
