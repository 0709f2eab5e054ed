import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { count } from './words.ts';

/** Characters that are shown at first, and with each press of the button. */
const FIRST_CHARS = 20_000;
const MORE_CHARS = 200_000;

/** Characters that move the cursor, hide, or turn the direction of others around. */
const control = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]`;
/** Text that looked like structure and was escaped by a backslash. */
const escaped = String.raw`<\\+(?=[/|\w])|\[\\+(?=/?INST)|observation\\+(?=\s*>)`;
const controls = new RegExp(`(${control})`, 'gi');
const all = new RegExp(`(${control}|${escaped})`, 'gi');

interface InertTextProps {
  readonly text: string;
  /** Whether escaped text is marked: it is in what agents did not write. */
  readonly marksEscapes?: boolean;
}

/** A text of whomever, as text: nothing in it acts, and what can't be seen is shown. */
export function InertText({ text, marksEscapes = false }: InertTextProps) {
  const [shown, setShown] = useState(FIRST_CHARS);
  const pieces = text.slice(0, shown).split(marksEscapes ? all : controls);
  const left = text.length - shown;
  return (
    <>
      <bdi class="text">
        {pieces.map((piece, at) => (at % 2 === 0 ? piece : <Special key={at} piece={piece} />))}
      </bdi>
      {left > 0 && (
        <button type="button" class="more" onClick={() => setShown(shown + MORE_CHARS)}>
          {count(left)} more characters
        </button>
      )}
    </>
  );
}

function Special({ piece }: { readonly piece: string }) {
  if (piece.length > 1)
    return (
      <mark class="escaped" title="looked like structure; escaped by a backslash">
        {piece}
      </mark>
    );
  const code = piece.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return <mark class="control" title={`the control character U+${code}`}>{`U+${code}`}</mark>;
}

interface RawProps {
  readonly label: string;
  readonly text: string;
  /** Whether it opens at its end, and stays there while the text grows. */
  readonly atEnd?: boolean;
}

/** A long text in a frame of its own, which can be scrolled by keys. */
export function Raw({ label, text, atEnd = false }: RawProps) {
  return (
    <pre class={atEnd ? 'raw end' : 'raw'} role="region" tabIndex={0} aria-label={label}>
      <InertText text={text} />
    </pre>
  );
}

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
