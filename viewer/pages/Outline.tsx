import type { RecordAnswer } from '../api.ts';
import { count } from './words.ts';

interface OutlineProps {
  readonly record: Pick<RecordAnswer, 'trajectory' | 'weights'>;
  /** The segment that keys have moved to; -1 for none. */
  readonly chosen: number;
  readonly onSegment: (segment: number) => void;
}

/** The segments of a trajectory by their tags, with their lengths in characters; a press leads there. */
export function Outline({ record: { trajectory, weights }, chosen, onSegment }: OutlineProps) {
  if (!trajectory) return null;
  return (
    <nav class="outline" aria-label="Segments">
      <ol>
        {trajectory.segments.map(({ tag, origin, text }, at) => (
          <li key={at}>
            <button
              type="button"
              class={`look ${origin === 'environment' ? origin : weights?.[at] === 0 ? 'untrained' : 'trained'}`}
              aria-current={at === chosen ? 'true' : undefined}
              onClick={() => onSegment(at)}
            >
              {tag} <small>{count(text.length)}</small>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
