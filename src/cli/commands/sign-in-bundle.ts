/** The implementations of the commands that sign in, bundled together and loaded on first use. */
export { auth } from "../sign-in/auth.ts";
export { login } from "../sign-in/login.ts";
export { logout } from "../sign-in/logout.ts";
