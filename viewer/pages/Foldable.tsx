import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface FoldableProps {
  /** Whether it is long enough to be folded at first. */
  readonly isFolded: boolean;
  /** Whether all are unfolded together. */
  readonly isUnfolded: boolean;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A text of which the first lines show, and all on demand. */
export function Foldable({ isFolded, isUnfolded, label, children }: FoldableProps) {
  const [isOpen, setOpen] = useState(isUnfolded);
  useEffect(() => setOpen(isUnfolded), [isUnfolded]);
  if (!isFolded) return <pre>{children}</pre>;
  return (
    <>
      <pre class={isOpen ? '' : 'folded'}>{children}</pre>
      <button
        type="button"
        class="more"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${label}`}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fold' : 'Unfold'}
      </button>
    </>
  );
}
