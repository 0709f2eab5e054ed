import { useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { CountsAnswer } from '../api.ts';
import { Facets } from './Facets.tsx';
import { FilterBox } from './FilterBox.tsx';
import { commandOf, filterOf } from './filter.ts';
import { useKeys } from './keys.ts';
import { RowsTable } from './RowsTable.tsx';
import { Shell } from './Shell.tsx';
import { sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { counted } from './words.ts';

/** All records in one table, with facets beside it. The whole state stands in the address. */
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
