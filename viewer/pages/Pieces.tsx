import { Foldable } from './Foldable.tsx';
import { InertText } from './InertText.tsx';
import { looks } from './Segments.tsx';

interface PiecesProps {
  readonly pieces: readonly { readonly look: keyof typeof looks; readonly text: string }[];
}

/** A text by who wrote it and whether it is in the loss. */
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
