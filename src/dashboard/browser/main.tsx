/** The page of the dashboard. */
import { render } from "preact";
import { App } from "./app.tsx";
import { addIcon } from "./icon.ts";
import { Api } from "./net/api.ts";
import { takeCode } from "./net/take-code.ts";

const api = new Api();

function show(code: string | undefined): void {
  const root = document.getElementById("app");
  if (root !== null) render(<App api={api} code={code} />, root);
}

addIcon();
// A link that is opened in a page of the dashboard changes its address only.
addEventListener("hashchange", () => {
  const code = takeCode({ location, history });
  if (code !== undefined) show(code);
});
show(takeCode({ location, history }));
