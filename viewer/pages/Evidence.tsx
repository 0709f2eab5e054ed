import type { JsonObject } from '../api.ts';
import { InertText } from './InertText.tsx';
import { words } from './words.ts';

const idPattern = /^(?:task|trace|trajectory)_[0-9a-f]{8,}$/;

interface EvidenceProps {
  readonly value: JsonObject;
  /** Where records stand; empty where ids lead nowhere. */
  readonly base: string;
}

/** Evidence as a list; ids of other records lead to them. */
export function Evidence({ value, base }: EvidenceProps) {
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  return (
    <dl class="evidence">
      {entries.map(([name, item]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>
            {base !== '' && typeof item === 'string' && idPattern.test(item) ? (
              <a href={`${base}/records/${item}`}>{item}</a>
            ) : (
              <InertText text={typeof item === 'string' ? item : JSON.stringify(item, null, 1)} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
