import type { Editor } from "../files/editor.ts";
import { editorFor, listEditor } from "../files/formats.ts";
import type { ClientRow } from "./types.ts";

/** The editor for the files of a client. A list of servers is edited as an object by name. */
export async function editorOf({ format, isList, keys }: ClientRow): Promise<Editor> {
  const [[key] = []] = keys;
  return isList === true && key !== undefined ? await listEditor(key) : await editorFor(format);
}
