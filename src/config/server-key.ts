/** The name of a server as one string. */
export function serverKey(toolbox: string, server: string): string {
  return `${toolbox}/${server}`;
}

/** The same for the setting `registry`; the name of a server has a slash. */
export const REGISTRY_KEY = "registry";
