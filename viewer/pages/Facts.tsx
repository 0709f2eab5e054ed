import { InertText } from './InertText.tsx';

/** Figures and names with their titles; what is undefined is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, string | undefined])[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([title, value]) =>
          value !== undefined && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                <InertText text={value} />
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
