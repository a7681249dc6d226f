/**
 * Characters that people cannot see but agents read: format characters such as zero-width
 * spaces, marks that change the direction of reading, and the tag characters that can spell out a
 * whole hidden sentence. Joiners are left out, because emoji and several scripts need them.
 */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

/** The names of the tools with invisible text in their definition. */
export function toolsWithInvisibleText(
  tools: Iterable<readonly [name: string, definition: string]>,
): string[] {
  const found: string[] = [];
  for (const [name, definition] of tools)
    if (visibleForm(definition).search(INVISIBLE) !== -1) found.push(name);
  return found;
}

/** A definition with its escapes resolved: they can hide such characters as well. */
function visibleForm(definition: string): string {
  return definition.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
