/** The page of the dashboard. */
import { render } from "preact";
import { App } from "./app.tsx";
import { addIcon } from "./icon.ts";
import { Api } from "./net/api.ts";
import { takeCode } from "./net/take-code.ts";

const code = takeCode({ location, history });
const root = document.getElementById("app");
addIcon();
if (root !== null) render(<App api={new Api()} code={code} />, root);
