import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { count } from './words.ts';

/** Characters shown at first, and added per press. */
const FIRST_CHARS = 20_000;
const MORE_CHARS = 200_000;

/** Control, invisible and direction characters. */
const control = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]`;
/** Text escaped by a backslash because it looked like structure. */
const escaped = String.raw`<\\+(?=[/|\w])|\[\\+(?=/?INST)|observation\\+(?=\s*>)`;
const controls = new RegExp(`(${control})`, 'gi');
const all = new RegExp(`(${control}|${escaped})`, 'gi');

interface InertTextProps {
  readonly text: string;
  /** True to mark escaped text, which only occurs in text that no agent wrote. */
  readonly marksEscapes?: boolean;
}

/** Untrusted text as plain text; invisible characters are shown. */
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
  /** Scrolls to the end and stays there. */
  readonly atEnd?: boolean;
}

export function Raw({ label, text, atEnd = false }: RawProps) {
  return (
    <pre class={atEnd ? 'raw end' : 'raw'} role="region" tabIndex={0} aria-label={label}>
      <InertText text={text} />
    </pre>
  );
}

interface FoldableProps {
  readonly isFolded: boolean;
  /** State of the control that unfolds all. */
  readonly isUnfolded: boolean;
  readonly label: string;
  readonly children: ComponentChildren;
  /** Preformatted, in a monospace font. Default: true. */
  readonly isPlain?: boolean;
}

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
  readonly draw: () => ComponentChildren;
  readonly class?: string;
  /** Open at first. Default: false. */
  readonly isFirst?: boolean;
}

/** A section that is rendered when it is opened. */
export function OnDemand({ summary, draw, class: className, isFirst = false }: OnDemandProps) {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details open={isFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class={className}>{summary}</summary>
      {isOpen && draw()}
    </details>
  );
}
