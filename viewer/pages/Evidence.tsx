import type { JsonObject } from '../../base/json.ts';
import { InertText } from './InertText.tsx';
import { words } from './words.ts';

const idPattern = /^(?:task|trace|trajectory)_[0-9a-f]{8,}$/;
/** Lists in lists; what is deeper is shown as JSON. */
const MAX_DEPTH = 3;

interface EvidenceProps {
  readonly value: JsonObject;
  /** Where records stand; empty where ids lead nowhere. */
  readonly base: string;
  readonly depth?: number;
}

/** Evidence as a list, and what is in it likewise; ids of other records lead to them. */
export function Evidence({ value, base, depth = 1 }: EvidenceProps) {
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  return (
    <dl class="evidence">
      {entries.map(([name, item]) => (
        <div key={name}>
          <dt>
            <InertText text={words(name)} />
          </dt>
          <dd>
            <Item item={item} base={base} depth={depth} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ItemProps extends Pick<Required<EvidenceProps>, 'base' | 'depth'> {
  readonly item: JsonObject[string];
}

function Item({ item, base, depth }: ItemProps) {
  if (base !== '' && typeof item === 'string' && idPattern.test(item))
    return <a href={`${base}/records/${item}`}>{item}</a>;
  const findings = Array.isArray(item) ? item : [item];
  if (depth < MAX_DEPTH && findings.length > 0 && findings.every(isObject))
    return findings.map((finding, at) => <Evidence key={at} value={finding} base={base} depth={depth + 1} />);
  return <InertText text={typeof item === 'string' ? item : JSON.stringify(item, null, 1)} />;
}

/** Whether a part of evidence has parts of its own. */
export function isObject(item: unknown): item is JsonObject {
  return typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).length > 0;
}
