import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse as HttpResponse } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { RequestError } from "./api-error.ts";
import { send } from "./respond.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>MCP Workbench</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ui/style.css">
<script type="module" src="/ui/app.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript.</noscript>
</body>
</html>
`;

/** The files of the page, by the path they are served at. */
const FILES: ReadonlyMap<string, readonly [name: string, type: string]> = new Map([
  ["/ui/app.js", ["app.js", "text/javascript; charset=utf-8"]],
  ["/ui/style.css", ["style.css", "text/css; charset=utf-8"]],
]);

/** Answers with the page or one of its files; false if there is nothing at this path. */
export function sendStatic(path: string, response: HttpResponse): boolean {
  if (path === "/ui") {
    response.writeHead(308, { location: "/ui/", "content-length": 0 }).end();
    return true;
  }
  if (path === "/ui/") {
    send(response, 200, "text/html; charset=utf-8", PAGE);
    return true;
  }
  const [name, type] = FILES.get(path) ?? [];
  if (name === undefined || type === undefined) return false;
  send(response, 200, type, contentOf(name));
  return true;
}

/** Read when it is asked for: it is needed once per visit. */
function contentOf(name: string): Buffer {
  try {
    return readFileSync(fileOf(name));
  } catch (error) {
    const hint = "Install the package again";
    const message = `The file ${name} of the dashboard is missing (${String(error)})`;
    throw new RequestError(500, "incomplete", message, hint);
  }
}

/** From a chunk of the program, the library and the sources, to the folder of the page. */
const FOLDERS = ["../ui", "../../../ui", "../../../dist/ui"];

function fileOf(name: string): string {
  const url = import.meta.url;
  const here = dirname(url.startsWith("file:") ? fileURLToPath(url) : url);
  const files = FOLDERS.map((folder) => join(here, folder, name));
  return files.find((file) => existsSync(file)) ?? name;
}
