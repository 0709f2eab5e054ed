import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { CountsAnswer } from '../api.ts';
import { Facets } from './Facets.tsx';
import {
  commandOf,
  completions,
  filterLine,
  filterOf,
  parseFilterLine,
  replaced,
  withoutOpenValue,
} from './filter.ts';
import { useKeys } from './keys.ts';
import { RowsTable } from './RecordsTable.tsx';
import { Shell } from './Shell.tsx';
import { sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { counted } from './words.ts';

/** All records in one table, with facets. The address holds the whole state. */
export function RowsPage() {
  const { params } = useRoute();
  const { kind, name } = params as { kind: string; name: string };
  const { route } = useLocation();
  const filter = filterOf(new URLSearchParams(location.search));
  const live = useLive(name);
  const { data, error } = useAnswer<CountsAnswer>(`${sourcePath(name)}/counts?${filter}`, live?.revision);
  const search = useRef<HTMLInputElement>(null);
  const facets = useRef<HTMLDetailsElement>(null);
  const base = `/${kind}/${encodeURIComponent(name)}`;
  const change = (next: URLSearchParams) => route(`${base}/rows${next.size > 0 ? `?${next}` : ''}`);
  const [copied, copy] = useCopy(commandOf(name, filter));
  const openFacets = () => {
    facets.current!.open = true;
    facets.current!.querySelector<HTMLElement>('input')?.focus();
  };
  useKeys({
    '/': () => search.current?.focus(),
    f: openFacets,
    y: copy,
    u: () => route(kind === 'runs' ? base : '/'),
    Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
  });
  const home = kind === 'runs' ? { href: base, name } : { name };
  return (
    <Shell
      title="Records"
      trail={kind === 'runs' ? [home, { name: 'records' }] : [home]}
      run={kind === 'runs' ? name : undefined}
      progress={live?.progress ?? data?.progress}
      isRunning={live?.running}
      error={error}
      isWide
    >
      <div class="rows-page">
        <details class="facets" ref={facets} open={matchMedia('(min-width: 800px)').matches}>
          <summary>Filters</summary>
          {data && <Facets counts={data} filter={filter} onChange={change} />}
        </details>
        <div class="rows">
          <div class="toolbar">
            <FilterBox filter={filter} facets={data?.facets ?? {}} input={search} onChange={change} />
            <button type="button" onClick={copy}>
              {copied ? 'Copied' : 'Copy as command'}
            </button>
            {kind === 'runs' && <a href={`${base}/review?${filter}`}>Review these</a>}
          </div>
          <p class="found" role="status">
            {data &&
              `${counted(data.found, 'record')}${data.found === data.all ? '' : ` of ${counted(data.all, 'record')}`}`}
          </p>
          {data?.all === 0 && <p class="empty">There are no records.</p>}
          {data && data.all > 0 && (
            <RowsTable
              name={name}
              base={base}
              filter={filter}
              found={data.found}
              revision={data.revision}
              onChange={change}
            />
          )}
        </div>
      </div>
    </Shell>
  );
}

export function useCopy(text: string): [boolean, () => void] {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    });
  };
  return [isCopied, copy];
}

/** Debounce of typing, in milliseconds. */
const PAUSE_MS = 250;

interface FilterBoxProps {
  readonly filter: URLSearchParams;
  readonly facets: Partial<CountsAnswer['facets']>;
  readonly input: preact.RefObject<HTMLInputElement | null>;
  readonly onChange: (next: URLSearchParams) => void;
}

/** The filter as an editable line: `verdict:wrong tokens>4000 castle`. */
function FilterBox({ filter, facets, input, onChange }: FilterBoxProps) {
  const [typed, setTyped] = useState('');
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Last filter set from the line. */
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
  // Shows changes from elsewhere, but keeps the text while typing.
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
