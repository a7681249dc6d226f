import { copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";

const INSTALLED = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/conformance/dist/index.js",
);

/** Where the suite keeps the requirements of each revision. */
export const REQUIREMENTS = new URL("../requirements/", pathToFileURL(INSTALLED));

const FOLDER = fileURLToPath(
  new URL("../../node_modules/.cache/mcp-workbench/conformance", import.meta.url),
);

let program: string | undefined;

/**
 * The suite in one file, with `suite-host.mjs`. Loading its hundreds of modules takes three times as long
 * as loading the bundle. As CommonJS it also starts on Node 20: one of its commands, which is not used here, imports
 * `fs.globSync` of Node 22, and an import of a name that does not exist would end the program.
 */
export function bundledSuite(): string {
  program ??= bundle(FOLDER);
  return program;
}

function bundle(folder: string): string {
  const outfile = join(folder, "dist/index.cjs");
  mkdirSync(folder, { recursive: true });
  // It reads both relative to itself.
  cpSync(fileURLToPath(REQUIREMENTS), join(folder, "requirements"), { recursive: true });
  copyFileSync(
    fileURLToPath(new URL("../package.json", REQUIREMENTS)),
    join(folder, "package.json"),
  );
  buildSync({
    stdin: {
      contents: patientSource(),
      resolveDir: dirname(INSTALLED),
      sourcefile: INSTALLED,
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    alias: { commander: fileURLToPath(new URL("suite-host.mjs", import.meta.url)) },
    define: { "import.meta.url": "suiteUrl" },
    banner: { js: 'const suiteUrl = require("node:url").pathToFileURL(__filename).href;' },
    logLevel: "error",
  });
  return outfile;
}

/** The suite gives two calls half a second to be answered, which a server on a busy machine may exceed. */
function patientSource(): string {
  let calls = 0;
  const source = readFileSync(INSTALLED, "utf8").replaceAll(
    /(await c\(`tools\/call`,\{name:`\w+`,[^;]{0,200}?,3,)[56]00\)/g,
    (_call, before: string) => {
      calls++;
      return `${before}60000)`;
    },
  );
  if (calls !== 2) throw new Error(`the suite has ${calls} such calls instead of two`);
  return source;
}
