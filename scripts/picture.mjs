// Records `mcp-workbench init` and writes the picture of the README. A test fails when it is out of date.
import { writeFileSync } from "node:fs";
import { register } from "tsx/esm/api";

register();
const { PICTURE, renderPicture } = await import("./picture/picture.ts");

writeFileSync(new URL(`../${PICTURE}`, import.meta.url), await renderPicture());
console.log(`wrote ${PICTURE}`);
