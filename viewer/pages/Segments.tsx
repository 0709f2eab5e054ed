import type { Trajectory } from '../../schemas/trajectory.ts';
import type { RecordAnswer } from '../api.ts';
import { Foldable, InertText } from './InertText.tsx';

interface SegmentsProps {
  readonly record: Pick<RecordAnswer, 'trajectory' | 'weights'> & Partial<Pick<RecordAnswer, 'sample'>>;
  readonly chosen: number;
  readonly isUnfolded: boolean;
  /** Prefix of element ids on pages with two trajectories. Default: none. */
  readonly place?: string;
  /** Shows a segment's event; absent if the page has no events. */
  readonly onEvent?: (event: string) => void;
}

/** The trajectory by segments, trained and untrained. */
export function Segments(props: SegmentsProps) {
  const { trajectory, weights, sample } = props.record;
  if (!trajectory)
    return <p class="empty">This record has no trajectory. How far it came is shown on the right.</p>;
  const { length } = trajectory.segments;
  const cutFrom = Math.min(length - (sample?.cut?.segments ?? 0), weights?.length ?? length);
  return (
    <>
      <Legend />
      <div class="segments">
        <Prompt name="system" text={trajectory.system} />
        <Prompt name="user" text={trajectory.user} />
        {trajectory.segments.map((segment, at) => (
          <SegmentBlock
            key={at}
            at={at}
            segment={segment}
            weight={at >= cutFrom ? undefined : weights?.[at]}
            isCut={at >= cutFrom}
            {...props}
          />
        ))}
      </div>
    </>
  );
}

/** Style -> meaning. */
export const looks = {
  trained: 'trained',
  untrained: "the model's, not trained",
  environment: 'environment, never trained',
  prompt: 'prompt, never trained',
} as const;

export function Legend() {
  return (
    <p class="legend">
      {Object.entries(looks).map(([look, meaning]) => (
        <span key={look} class={`look ${look}`}>
          {meaning}
        </span>
      ))}
    </p>
  );
}

function Prompt({ name, text }: { readonly name: string; readonly text: string }) {
  if (text === '') return null;
  return (
    <div class="segment prompt">
      <div class="tag">
        <b>{name}</b>
        <small>prompt, never trained</small>
      </div>
      <Foldable isFolded={text.length > 1_200} isUnfolded={false} label={`${name} prompt`}>
        <InertText text={text} marksEscapes />
      </Foldable>
    </div>
  );
}

interface SegmentBlockProps extends SegmentsProps {
  readonly at: number;
  readonly segment: Trajectory['segments'][number];
  readonly weight: number | undefined;
  readonly isCut: boolean;
}

function SegmentBlock({ at, segment, weight, isCut, ...of }: SegmentBlockProps) {
  const { tag, origin, text, event } = segment;
  const { place = '', isUnfolded, onEvent } = of;
  const isChosen = at === of.chosen;
  const isObservation = origin === 'environment';
  const look = isObservation ? 'environment' : weight === undefined || weight > 0 ? 'trained' : 'untrained';
  return (
    <div
      id={`${place}segment-${at}`}
      class={`segment ${isCut ? 'cut' : look}${isChosen ? ' chosen' : ''}`}
      aria-current={isChosen ? 'true' : undefined}
    >
      <div class="tag">
        <b>{tag}</b>
        <small>{noteOf(look, weight, isCut)}</small>
        {onEvent && (
          <button
            type="button"
            class="link"
            onClick={() => onEvent(event)}
            aria-label={`Event of segment ${at + 1}, ${tag}`}
          >
            event
          </button>
        )}
      </div>
      <Foldable
        isFolded={isObservation && text.length > 600}
        isUnfolded={isUnfolded}
        label={`segment ${at + 1}, ${tag}`}
      >
        <InertText text={text} marksEscapes={isObservation} />
      </Foldable>
    </div>
  );
}

function noteOf(look: string, weight: number | undefined, isCut: boolean): string {
  if (isCut) return 'cut off to fit';
  if (look === 'environment') return 'never trained';
  if (weight === undefined) return 'written by the model';
  if (weight === 0) return 'not trained';
  return weight === 1 ? 'trained' : `trained, weight ${weight}`;
}

interface PiecesProps {
  readonly pieces: readonly { readonly look: keyof typeof looks; readonly text: string }[];
}

export function Pieces({ pieces }: PiecesProps) {
  return (
    <div class="segments">
      {pieces.map(({ look, text }, at) => (
        <div key={at} class={`segment ${look}`}>
          <div class="tag">
            <small>{looks[look]}</small>
          </div>
          <Foldable
            isFolded={look !== 'trained' && text.length > 600}
            isUnfolded={false}
            label={`piece ${at + 1}`}
          >
            <InertText text={text} />
          </Foldable>
        </div>
      ))}
    </div>
  );
}
