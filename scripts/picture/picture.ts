import { parseTerminalText } from "./terminal-text.ts";
import { recordInit } from "./record-init.ts";
import { renderSvg } from "./render-svg.ts";

/** The picture, relative to the root of the repository. */
export const PICTURE = "docs/init.svg";

/** The picture of the README as the built program draws it now. */
export async function renderPicture(): Promise<string> {
  const { command, output } = await recordInit();
  const prompt = `\u001b[32m$\u001b[39m \u001b[1m${command}\u001b[22m`;
  return renderSvg({
    title: `Terminal: ${command}`,
    lines: parseTerminalText(`${prompt}\n\n${output.trim()}`),
  });
}
