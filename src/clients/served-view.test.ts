import { expect, it } from "vitest";

import { servedView } from "./served-view.ts";

it.each([
  ["serve --config /c.json", { config: "/c.json", toolboxes: [], server: undefined }],
  [
    "serve --toolbox a --toolbox=b",
    { config: undefined, toolboxes: ["a", "b"], server: undefined },
  ],
  ["serve --config=/c --server a/b", { config: "/c", toolboxes: [], server: "a/b" }],
  ["serve --toolbox", { config: undefined, toolboxes: [], server: undefined }],
])("servedView reads '%s'", (line, expected) => {
  expect(servedView(["node", "bin.cjs", ...line.split(" ")])).toEqual(expected);
});
