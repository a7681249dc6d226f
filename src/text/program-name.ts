/** The name of a program without its folder and the extensions of Windows, in lower case. */
export function programName(path: string): string {
  const base = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return base.toLowerCase().replace(/\.(cmd|exe|bat|ps1)$/, "");
}
