import { useEffect, useRef, useState } from 'preact/hooks';
import type { CountsAnswer } from '../api.ts';
import { replaced } from './filter.ts';
import { completions, filterLine, parseFilterLine, withoutOpenValue } from './filterLine.ts';

/** Milliseconds without a key after which the list follows. */
const PAUSE_MS = 250;

interface FilterBoxProps {
  readonly filter: URLSearchParams;
  /** The values that there are, with which the line is completed. */
  readonly facets: Partial<CountsAnswer['facets']>;
  readonly input: preact.RefObject<HTMLInputElement | null>;
  readonly onChange: (next: URLSearchParams) => void;
}

/** The whole filter as one line, which is typed or changed: `verdict:wrong tokens>4000 castle`. */
export function FilterBox({ filter, facets, input, onChange }: FilterBoxProps) {
  const [typed, setTyped] = useState('');
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The filter that the line itself asked for last. */
  const own = useRef<string>(undefined);
  const sort = filter.get('sort') ?? '';
  const apply = (line: string): void => {
    clearTimeout(waiting.current);
    const next = replaced(parseFilterLine(line), 'sort', sort);
    if (`${next}` === `${filter}`) return;
    own.current = `${next}`;
    onChange(next);
  };
  const later = (line: string): void => {
    setTyped(line);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => apply(withoutOpenValue(line, facets)), PAUSE_MS);
  };
  // What was chosen elsewhere stands in the line; what is typed stays as it was typed.
  useEffect(() => {
    if (own.current !== `${filter}`) input.current!.value = filterLine(filter);
  }, [`${filter}`]);
  return (
    <search>
      <input
        ref={input}
        type="search"
        list="filter-line"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => later(currentTarget.value)}
        onChange={({ currentTarget }) => apply(currentTarget.value)}
        placeholder="verdict:wrong tokens>4000, or words to search"
        aria-label="Filter and search questions, answers, model text, observations and ids"
        title={
          'name:value, figure>number; all words, as beginnings; "in this order"; -without; model:word, observation:word, question:word, answer:word'
        }
      />
      <datalist id="filter-line">
        {completions(typed, facets).map((line) => (
          <option key={line} value={line} />
        ))}
      </datalist>
    </search>
  );
}
