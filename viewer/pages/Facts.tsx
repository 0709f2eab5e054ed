import type { ComponentChildren } from 'preact';
import { InertText } from './InertText.tsx';

/** A figure or a name with its title; undefined leaves it out. */
export type Fact = readonly [title: string, value: ComponentChildren | undefined];

/** Figures and names with their titles. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([title, value]) =>
          value != null &&
          value !== false && (
            <div key={title}>
              <dt>
                <InertText text={title} />
              </dt>
              <dd>{typeof value === 'string' ? <InertText text={value} /> : value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
