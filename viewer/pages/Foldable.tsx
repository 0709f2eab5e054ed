import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface FoldableProps {
  /** Whether it is long enough to be folded at first. */
  readonly isFolded: boolean;
  /** Whether all are unfolded together. */
  readonly isUnfolded: boolean;
  readonly label: string;
  readonly children: ComponentChildren;
  /** Whether its lines are broken as they are, in letters of one width. Default: true. */
  readonly isPlain?: boolean;
}

/** A text of which the first lines show, and all on demand. */
export function Foldable({ isFolded, isUnfolded, label, children, isPlain = true }: FoldableProps) {
  const [isOpen, setOpen] = useState(isUnfolded);
  useEffect(() => setOpen(isUnfolded), [isUnfolded]);
  const Tag = isPlain ? 'pre' : 'div';
  if (!isFolded) return <Tag>{children}</Tag>;
  return (
    <>
      <Tag class={isOpen ? '' : 'folded'}>{children}</Tag>
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

interface OnDemandProps {
  readonly summary: ComponentChildren;
  /** What is drawn once it is opened. */
  readonly draw: () => ComponentChildren;
  readonly class?: string;
  /** Whether it is open at first. Default: false. */
  readonly isFirst?: boolean;
}

/** What most readers pass over: it is drawn when it is opened. */
export function OnDemand({ summary, draw, class: className, isFirst = false }: OnDemandProps) {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details open={isFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class={className}>{summary}</summary>
      {isOpen && draw()}
    </details>
  );
}
