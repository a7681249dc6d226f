/** What holds for the file of every client. */
import { readFile, rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";

import { readRecords } from "../../src/clients/journal.ts";
import { readClientFile, readServers } from "../../src/clients/read.ts";
import { CLIENTS } from "../../src/clients/table.ts";
import { rowOf, SAMPLES } from "./home.ts";
import { installing, OTHER } from "./installing.ts";

/** Adds the tests for these clients to the file that calls it. */
export function describeInstalling(clients: typeof CLIENTS): void {
  const ids = clients.map(({ id }) => id);
  const remoteIds = clients.filter(({ entry }) => entry.token !== undefined).map(({ id }) => id);
  const at = installing();
  const { install, uninstall, undo, read, addComment, namesIn } = at;

  describe("installing and uninstalling", () => {
    it.each(ids)("leaves the file of %s byte for byte as it was", async (id) => {
      const before = await at.home.snapshot();
      const { changed, backup } = await install(id);
      expect(changed).toBe(true);
      expect(await namesIn(id)).toContain("workbench");
      expect(await readFile(backup ?? "", "utf8")).toBe(SAMPLES[id]);
      expect(await uninstall(id)).toMatchObject({ changed: true, exact: true });
      expect(await at.home.snapshot()).toEqual(before);
      expect(await readRecords(at.home.stateDir)).toEqual([]);
    });

    it.each(ids)("creates and removes the file of %s when there is none", async (id) => {
      await rm(at.home.fileOf(id));
      const before = await at.home.snapshot();
      const { file } = await install(id);
      expect(await namesIn(id, file)).toEqual(["workbench"]);
      await uninstall(id, file);
      expect(await at.home.snapshot()).toEqual(before);
    });

    it.each(ids)("takes the other servers out of the file of %s and puts them back", async (id) => {
      const before = await at.home.snapshot();
      const context = { file: at.home.fileOf(id), scope: "user" } as const;
      const servers = await readServers(rowOf(id), await read(id), context);
      await install(id, { remove: servers.map(({ path }) => path) });
      expect(await namesIn(id)).toEqual(["workbench"]);
      expect(await uninstall(id)).toMatchObject({ exact: true });
      expect(await at.home.snapshot()).toEqual(before);
    });

    it.each(ids)("keeps later changes to the file of %s", async (id) => {
      const context = { file: at.home.fileOf(id), scope: "user" } as const;
      const before = await readServers(rowOf(id), await read(id), context);
      await install(id, { remove: before.map(({ path }) => path) });
      await addComment(id);
      expect(await uninstall(id)).toMatchObject({ exact: false, changed: true });
      const after = await readServers(rowOf(id), await read(id), context);
      const byName = (servers: typeof after): unknown =>
        servers.map(({ name, raw }) => [name, raw]).sort();
      expect(byName(after)).toEqual(byName(before));
      expect(await read(id)).toMatch(/(?:\/\/|#) changed/);
    });

    it.each(remoteIds)("connects %s to a URL, with its token in a variable", async (id) => {
      const before = await at.home.snapshot();
      const launch = { url: "https://team.example.com/mcp", tokenVariable: "TEAM_TOKEN" };
      const { file } = await install(id, { launch });
      const found = await readClientFile(rowOf(id), file);
      expect(found?.servers.find(({ isWorkbench }) => isWorkbench)).toMatchObject({
        name: "workbench",
        entry: { url: launch.url, headers: { Authorization: "Bearer ${TEAM_TOKEN}" } },
        problems: [],
      });
      expect((await install(id, { launch })).changed).toBe(false);
      expect(await uninstall(id, file)).toMatchObject({ exact: true });
      expect(await at.home.snapshot()).toEqual(before);
    });

    it.each(ids)("undoes one installation into %s after the other", async (id) => {
      const texts = [await read(id)];
      const { servers = [] } = (await readClientFile(rowOf(id), at.home.fileOf(id))) ?? {};
      const remove = servers.map(({ path }) => path);
      for (const more of [{}, { name: "second" }, { name: "second", launch: OTHER, remove }]) {
        await install(id, more);
        texts.push(await read(id));
      }
      for (const text of texts.slice(0, -1).toReversed()) {
        expect(await undo(id)).toMatchObject({ exact: true });
        expect(await read(id)).toBe(text);
      }
      expect(await readRecords(at.home.stateDir)).toEqual([]);
    });

    it.each(ids)("undoes the last installation into %s after the file was edited", async (id) => {
      const { servers = [] } = (await readClientFile(rowOf(id), at.home.fileOf(id))) ?? {};
      const original = await namesIn(id);
      await install(id);
      await install(id, { name: "second", remove: servers.map(({ path }) => path) });
      await addComment(id);
      expect(await undo(id)).toMatchObject({ exact: false });
      expect((await namesIn(id)).toSorted()).toEqual([...original, "workbench"].toSorted());
      expect(await undo(id)).toMatchObject({ exact: false });
      expect((await namesIn(id)).toSorted()).toEqual(original.toSorted());
      expect(await read(id)).toContain("changed");
    });
  });
}
