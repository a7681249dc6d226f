import type { VNode } from "preact";

type Figure = readonly [name: string, value: string];

/** A few numbers in large type. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }): VNode {
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name} class="figure">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
