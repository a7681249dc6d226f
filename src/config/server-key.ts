/** The name of a server as one string. */
export function serverKey(toolbox: string, server: string): string {
  return `${toolbox}/${server}`;
}
