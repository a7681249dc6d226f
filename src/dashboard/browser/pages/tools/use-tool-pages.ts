import { useEffect, useReducer, useRef } from "preact/hooks";
import type { ToolPage, ToolSummary } from "../../../contract.ts";
import { useApp } from "../../hooks/app-context.ts";
import { useStore } from "../../hooks/use-store.ts";
import { PagedList } from "../../state/paged-list.ts";
import { versionOf } from "../../state/state.ts";

export interface ToolListQuery {
  readonly q: string;
  readonly toolbox: string;
  readonly server: string;
}

const PAGE_SIZE = 100;

export type ToolPages = PagedList<ToolSummary, ToolPage>;

export interface ShownTools {
  readonly pages: ToolPages;
  /** What they were searched by; not yet the words that are being typed. */
  readonly q: string;
}

/** The tools that match, loaded where they are looked at. Before the first answer, the previous ones. */
export function useToolPages(query: ToolListQuery): ShownTools | undefined {
  const { api } = useApp();
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const shown = useRef<ShownTools | undefined>(undefined);
  const next = useRef<ToolPages | undefined>(undefined);

  useEffect(() => {
    const list: ToolPages = new PagedList({
      size: PAGE_SIZE,
      load: (offset, signal) => {
        const part = { offset: String(offset), limit: String(PAGE_SIZE) };
        return api.read("/ui/api/tools", { ...query, ...part }, signal);
      },
      onChange: () => {
        shown.current = { pages: list, q: query.q };
        renderAgain(undefined);
      },
    });
    next.current = list;
    list.need(0, 1);
    return () => list.close();
  }, [api, query.q, query.toolbox, query.server]);

  const version = useStore((state) => versionOf(state, ["tools", "servers"]));
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    next.current?.refresh();
  }, [version]);

  return shown.current;
}
