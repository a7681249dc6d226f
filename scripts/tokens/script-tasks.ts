/** Six tasks as agents get them, with the calls that an agent makes and a script that does the same. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Calls a tool of the toolbox `work`, by `server/tool`, and returns the text that a model reads. */
export type DirectCall = (tool: string, input: object) => Promise<string>;

export interface ScriptTask {
  readonly title: string;
  readonly servers: string;
  /** Creates what the task works on. */
  prepare(folder: string): void;
  /** What an agent does call by call; returns its answer. */
  direct(call: DirectCall): Promise<unknown>;
  /** What a script returns must be the same answer. */
  readonly script: string;
}

const WORDS = "harbour crane pilot berth tide cargo manifest customs quay vessel".split(" ");
const word = (i: number): string => WORDS[(i * 7 + (i >> 3)) % WORDS.length] ?? "";
const sentence = (seed: number, length: number): string =>
  Array.from({ length }, (_, i) => word(seed + i * 3)).join(" ");
const numbered = (i: number): string => String(i).padStart(2, "0");
const file = (folder: string, path: string, text: string): void => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const filesIn = (listing: string): string[] =>
  listing.split("\n").map((line) => line.replace("[FILE] ", ""));

const NOTES = 60;
const SETTINGS = 20;
const PEOPLE = 120;
const CITIES = ["New York", "Chicago", "Los Angeles"];

export const SCRIPT_TASKS: readonly ScriptTask[] = [
  {
    title: "count the words of 60 notes",
    servers: "filesystem",
    prepare(folder) {
      for (let i = 0; i < NOTES; i++)
        file(folder, `notes/note-${numbered(i)}.md`, `# Note ${i}\n\n${sentence(i, 200 + i)}\n`);
    },
    async direct(call) {
      let words = 0;
      for (const name of filesIn(await call("filesystem/list_directory", { path: "notes" })))
        words += (await call("filesystem/read_text_file", { path: `notes/${name}` })).split(
          /\s+/,
        ).length;
      return words;
    },
    script: `const { content } = await call("work/filesystem/list_directory", { path: "notes" });
const names = content.split("\\n").map((line) => line.replace("[FILE] ", ""));
const texts = await Promise.all(names.map((name) =>
  call("work/filesystem/read_text_file", { path: "notes/" + name })));
return texts.reduce((sum, { content }) => sum + content.split(/\\s+/).length, 0);`,
  },
  {
    title: "find all TODO comments in 40 source files",
    servers: "filesystem",
    prepare(folder) {
      for (let i = 0; i < 40; i++) {
        const lines = Array.from(
          { length: 80 },
          (_, line) => `export const v${line} = "${word(i + line)}";`,
        );
        if (i % 8 === 0) lines[10] = `// TODO: ${sentence(i, 5)}`;
        file(folder, `src/module-${numbered(i)}.ts`, lines.join("\n"));
      }
    },
    async direct(call) {
      const found: string[] = [];
      for (const name of filesIn(await call("filesystem/list_directory", { path: "src" }))) {
        const text = await call("filesystem/read_text_file", { path: `src/${name}` });
        for (const line of text.split("\n"))
          if (line.includes("TODO")) found.push(`${name}: ${line}`);
      }
      return found;
    },
    script: `const { content } = await call("work/filesystem/list_directory", { path: "src" });
const found = [];
for (const name of content.split("\\n").map((line) => line.replace("[FILE] ", ""))) {
  const file = await call("work/filesystem/read_text_file", { path: "src/" + name });
  for (const line of file.content.split("\\n")) if (line.includes("TODO")) found.push(name + ": " + line);
}
return found;`,
  },
  {
    title: "change one key in 20 settings files",
    servers: "filesystem",
    prepare(folder) {
      for (let i = 0; i < SETTINGS; i++) {
        const options = Object.fromEntries(
          Array.from({ length: 30 }, (_, key) => [`${word(key)}${key}`, word(i + key)]),
        );
        const text = JSON.stringify({ name: `service-${i}`, timeout: 30, options }, undefined, 2);
        file(folder, `settings/service-${numbered(i)}.json`, text);
      }
    },
    async direct(call) {
      let changed = 0;
      for (const name of filesIn(await call("filesystem/list_directory", { path: "settings" }))) {
        const path = `settings/${name}`;
        const settings = JSON.parse(await call("filesystem/read_text_file", { path })) as object;
        const content = JSON.stringify({ ...settings, timeout: 60 }, undefined, 2);
        await call("filesystem/write_file", { path, content });
        changed++;
      }
      return changed;
    },
    script: `const { content } = await call("work/filesystem/list_directory", { path: "settings" });
const names = content.split("\\n").map((line) => line.replace("[FILE] ", ""));
for (const name of names) {
  const path = "settings/" + name;
  const file = await call("work/filesystem/read_text_file", { path });
  const content = JSON.stringify({ ...JSON.parse(file.content), timeout: 60 }, undefined, 2);
  await call("work/filesystem/write_file", { path, content });
}
return names.length;`,
  },
  {
    title: "import 120 people from a CSV file into the graph",
    servers: "filesystem, memory",
    prepare(folder) {
      const rows = Array.from(
        { length: PEOPLE },
        (_, i) => `person-${i},${word(i)},${word(i + 5)}`,
      );
      file(folder, "people.csv", ["name,company,city", ...rows].join("\n"));
    },
    async direct(call) {
      const csv = await call("filesystem/read_text_file", { path: "people.csv" });
      const rows = csv
        .split("\n")
        .slice(1)
        .map((row) => row.split(","));
      const entities = rows.map(([name, company, city]) => ({
        name,
        entityType: "person",
        observations: [`works at ${company}`, `lives in ${city}`],
      }));
      await call("memory/create_entities", { entities });
      return entities.length;
    },
    script: `const { content } = await call("work/filesystem/read_text_file", { path: "people.csv" });
const entities = content.split("\\n").slice(1).map((row) => row.split(",")).map(([name, company, city]) => ({
  name, entityType: "person", observations: ["works at " + company, "lives in " + city] }));
await call("work/memory/create_entities", { entities });
return entities.length;`,
  },
  {
    title: "count the people of the graph by company",
    servers: "memory",
    prepare() {
      // The people of the task before.
    },
    async direct(call) {
      const graph = await call("memory/read_graph", {});
      return countCompanies((JSON.parse(graph) as Graph).entities);
    },
    script: `const { entities } = await call("work/memory/read_graph", {});
const counts = {};
for (const { observations } of entities) {
  const company = observations.find((text) => text.startsWith("works at ")).slice(9);
  counts[company] = (counts[company] ?? 0) + 1;
}
return counts;`,
  },
  {
    title: "find the warmest of three cities",
    servers: "everything",
    prepare() {
      // Nothing.
    },
    async direct(call) {
      const found: { city: string; temperature: number }[] = [];
      for (const city of CITIES) {
        const text = await call("everything/get-structured-content", { location: city });
        found.push({ city, ...(JSON.parse(text) as { temperature: number }) });
      }
      return found.reduce((a, b) => (b.temperature > a.temperature ? b : a)).city;
    },
    script: `const found = [];
for (const location of ["New York", "Chicago", "Los Angeles"])
  found.push({ location, ...(await call("work/everything/get-structured-content", { location })) });
return found.reduce((a, b) => (b.temperature > a.temperature ? b : a)).location;`,
  },
];

interface Graph {
  readonly entities: readonly { readonly observations: readonly string[] }[];
}

function countCompanies(entities: Graph["entities"]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { observations } of entities) {
    const company = observations.find((text) => text.startsWith("works at "))?.slice(9) ?? "";
    counts[company] = (counts[company] ?? 0) + 1;
  }
  return counts;
}
