// A tool: its name is that of the file, its description and input are exported.
export const description = "Counts the lines and words of the files in a folder.";

export const input = {
  type: "object",
  properties: {
    folder: { type: "string", description: "The folder, without its subfolders" },
    suffix: { type: "string", description: "Only files with this ending, such as .md" },
  },
  required: ["folder"],
};

export const annotations = { readOnlyHint: true };

// What every script can use; see docs/scripts.md.
declare function call(tool: string, args: object): Promise<{ content: string }>;

interface Input {
  folder: string;
  suffix?: string;
}

export async function run({ folder, suffix = "" }: Input) {
  const { content } = await call("workspace/filesystem/list_directory", { path: folder });
  const names = content
    .split("\n")
    .filter((line) => line.startsWith("[FILE] ") && line.endsWith(suffix))
    .map((line) => line.slice("[FILE] ".length));
  const counts = await Promise.all(
    names.map(async (name) => {
      const path = `${folder}/${name}`;
      const { content: text } = await call("workspace/filesystem/read_text_file", { path });
      return {
        name,
        lines: text.split("\n").length,
        words: text.split(/\s+/).filter(Boolean).length,
      };
    }),
  );
  return counts.sort((a, b) => b.words - a.words);
}
