import { useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { CountsAnswer } from '../answers.ts';
import { figureTitles } from '../index/fields.ts';
import { Facets } from './Facets.tsx';
import { commandOf, filterOf, replaced, toggled } from './filter.ts';
import { useKeys } from './keys.ts';
import { RowsTable } from './RowsTable.tsx';
import { Shell } from './Shell.tsx';
import { sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { counted, words } from './words.ts';

/** All records in one table, with facets beside it. The whole state stands in the address. */
export function RowsPage() {
  const { params } = useRoute();
  const { kind, name } = params as { kind: string; name: string };
  const { query, route } = useLocation();
  const filter = filterOf(searchEntries(query));
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
            <SearchBox
              value={filter.get('q') ?? ''}
              input={search}
              onSearch={(text) => change(replaced(filter, 'q', text))}
            />
            <SortChoice filter={filter} onChange={change} />
            <button type="button" onClick={copy}>
              {copied ? 'Copied' : 'Copy as command'}
            </button>
            {kind === 'runs' && <a href={`${base}/review?${filter}`}>Review these</a>}
          </div>
          <Chips filter={filter} onChange={change} />
          <p class="found" role="status">
            {data &&
              `${counted(data.found, 'record')}${data.found === data.all ? '' : ` of ${counted(data.all, 'record')}`}`}
          </p>
          {data?.all === 0 && <p class="empty">There are no records.</p>}
          {data && data.all > 0 && (
            <RowsTable name={name} base={base} filter={filter} found={data.found} revision={data.revision} />
          )}
        </div>
      </div>
    </Shell>
  );
}

/** The address holds several values of a name; the router knows one of each. */
function searchEntries(_query: Record<string, string>): URLSearchParams {
  return new URLSearchParams(location.search);
}

/** Copies a text; true for a moment after. */
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

interface SearchBoxProps {
  readonly value: string;
  readonly input: preact.RefObject<HTMLInputElement | null>;
  readonly onSearch: (text: string) => void;
}

/** Searches when typing pauses. */
function SearchBox({ value, input, onSearch }: SearchBoxProps) {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (text: string) => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => onSearch(text.trim()), 250);
  };
  return (
    <search>
      <input
        ref={input}
        type="search"
        defaultValue={value}
        onInput={({ currentTarget }) => later(currentTarget.value)}
        placeholder="Search texts and ids"
        aria-label="Search questions, answers, model text, observations and ids"
        title={
          'all words, as beginnings; "in this order"; -without; model:word, observation:word, question:word, answer:word'
        }
      />
    </search>
  );
}

interface FilterProps {
  readonly filter: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

function SortChoice({ filter, onChange }: FilterProps) {
  const sorts = Object.entries(figureTitles).flatMap(([name, title]) => [
    [`-${name}`, `${title}, most first`] as const,
    [name, `${title}, least first`] as const,
  ]);
  return (
    <label>
      <span class="hidden">Sort</span>
      <select
        value={filter.get('sort') ?? ''}
        onChange={({ currentTarget }) => onChange(replaced(filter, 'sort', currentTarget.value))}
      >
        <option value="">In the order of the tasks</option>
        <option value="-row">Last task first</option>
        {sorts.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is filtered by, each to be taken out. */
function Chips({ filter, onChange }: FilterProps) {
  const chips = [...filter].filter(([name]) => name !== 'q' && name !== 'sort');
  if (chips.length === 0) return null;
  return (
    <ul class="chips">
      {chips.map(([name, value]) => (
        <li key={`${name} ${value}`}>
          <button
            type="button"
            onClick={() => onChange(toggled(filter, name, value))}
            aria-label={`Remove ${name} ${words(value)}`}
          >
            {words(name)}: {words(value)} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={() => onChange(new URLSearchParams())}>
          Remove all
        </button>
      </li>
    </ul>
  );
}
