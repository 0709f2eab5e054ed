import { useState } from 'preact/hooks';
import type { TokensAnswer } from '../api.ts';
import { Raw } from './InertText.tsx';
import { useAnswer } from './useAnswer.ts';
import { count } from './words.ts';

/** Tokens drawn at first, and added per press. */
const FIRST_TOKENS = 3_000;
/** Label of an untrained token. */
const IGNORED = -100;

const origins: Readonly<Record<string, string>> = { p: 'prompt', m: 'model', e: 'environment' };

interface TokensViewProps {
  readonly path: string;
  readonly formats: readonly string[];
}

export function TokensView({ path, formats }: TokensViewProps) {
  const [format, setFormat] = useState('');
  return (
    <>
      <p class="toolbar">
        <label>
          Shown as{' '}
          <select value={format} onChange={({ currentTarget }) => setFormat(currentTarget.value)}>
            <option value="">tokens with id and label</option>
            {formats.map((name) => (
              <option key={name} value={name}>
                the row of {name}
              </option>
            ))}
          </select>
        </label>
      </p>
      {format === '' ? <Tokens path={path} /> : <FormatRow path={path} format={format} />}
    </>
  );
}

function Tokens({ path }: Pick<TokensViewProps, 'path'>) {
  const { data, error } = useAnswer<TokensAnswer>(`${path}/tokens`);
  const [shown, setShown] = useState(FIRST_TOKENS);
  if (error) return <p class="error">{error}</p>;
  if (!data) return <p class="empty">Tokenising …</p>;
  const trained = data.weights.filter((weight) => weight > 0).length;
  return (
    <>
      <p class="note">
        {count(data.ids.length)} tokens by {data.tokenizer}, {count(trained)} of them trained (underlined);
        below each its id, and its label where it is not the same: {IGNORED} is not trained.
      </p>
      <ol class="tokens" tabIndex={0} aria-label="Tokens">
        {data.ids.slice(0, shown).map((id, at) => (
          <Token
            key={at}
            id={id}
            text={data.texts[at]!}
            weight={data.weights[at]!}
            origin={origins[data.origins[at]!]!}
          />
        ))}
      </ol>
      {shown < data.ids.length && (
        <button type="button" class="more" onClick={() => setShown(shown + FIRST_TOKENS)}>
          {count(data.ids.length - shown)} more tokens
        </button>
      )}
    </>
  );
}

interface TokenProps {
  readonly id: number;
  readonly text: string;
  readonly weight: number;
  readonly origin: string;
}

function Token({ id, text, weight, origin }: TokenProps) {
  const label = weight > 0 ? id : IGNORED;
  return (
    <li
      class={`token ${weight > 0 ? 'trained' : origin}`}
      title={`${origin}, id ${id}, label ${label}, weight ${weight}`}
    >
      <span class="word">{text.replaceAll('\n', '⏎').replaceAll(' ', '·') || '∅'}</span>
      <small>
        {id}
        {label !== id && <i> {label}</i>}
        {weight > 0 && weight !== 1 && <i> ×{weight}</i>}
      </small>
    </li>
  );
}

function FormatRow({ path, format }: { readonly path: string; readonly format: string }) {
  const { data, error } = useAnswer<{ text: string }>(`${path}/formats/${encodeURIComponent(format)}`);
  if (error) return <p class="error">{error}</p>;
  if (!data) return <p class="empty">Rendering …</p>;
  return <Raw label={`The row of ${format}`} text={data.text} />;
}
