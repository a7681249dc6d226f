/** Servers with a url in the configuration of a test. */

/**
 * One toolbox `dev` with these servers, as the text of a configuration: nothing is added to it,
 * unlike for servers that are processes.
 */
export function remoteConfig(
  servers: Readonly<Record<string, object>>,
  options: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    ...options,
    toolboxes: { dev: { description: "Tools for tests", mcpServers: servers } },
  });
}
