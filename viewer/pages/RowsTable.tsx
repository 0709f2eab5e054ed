import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { RowAnswer, WindowAnswer } from '../api.ts';
import { InertText } from './InertText.tsx';
import { useKeys } from './keys.ts';
import { fetchAnswer, sourcePath } from './useAnswer.ts';
import { count, words } from './words.ts';

const ROW_HEIGHT = 44;
/** Rows that are asked for together. */
const BLOCK = 100;
/** Rows of one part: browsers know no taller pages than some millions of pixels. */
const PART = 100_000;

interface RowsTableProps {
  readonly name: string;
  readonly base: string;
  readonly filter: URLSearchParams;
  readonly found: number;
  readonly revision: number;
}

/** The rows that a filter finds; only those in sight are there, and are asked for. */
export function RowsTable({ name, base, filter, found, revision }: RowsTableProps) {
  const { route } = useLocation();
  const [part, setPart] = useState(0);
  const [chosen, setChosen] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const parts = Math.max(1, Math.ceil(found / PART));
  const first = Math.min(part, parts - 1) * PART;
  const size = Math.min(PART, found - first);
  const rows = useVirtualRows(scroller, size);
  const items = rows.getVirtualItems();
  const rowAt = useBlocks(`${sourcePath(name)}/window?${filter}`, revision, [
    first + (items[0]?.index ?? 0),
    first + (items.at(-1)?.index ?? 0),
  ]);
  const hrefAt = (at: number): string | undefined => {
    const row = rowAt(at);
    return row && `${base}/records/${encodeURIComponent(row.key)}?${withPlace(filter, at)}`;
  };
  const choose = (at: number): void => {
    const next = Math.min(size - 1, Math.max(0, at));
    setChosen(next);
    rows.scrollToIndex(next);
  };
  const open = (): void => {
    const href = hrefAt(first + chosen);
    if (href) route(href);
  };
  useKeys({ j: () => choose(chosen + 1), k: () => choose(chosen - 1), Enter: open, o: open });
  useEffect(() => {
    setPart(0);
    setChosen(0);
    scroller.current?.scrollTo(0, 0);
  }, [String(filter)]);
  if (found === 0) return <p class="empty">No record has all of this.</p>;
  return (
    <>
      {parts > 1 && <Parts parts={parts} part={Math.min(part, parts - 1)} found={found} onPart={setPart} />}
      <div class="table" ref={scroller} tabIndex={0} role="table" aria-label="Records" aria-rowcount={found}>
        <div role="rowgroup" class="head">
          <div role="row">
            <span role="columnheader">Question</span>
            <span role="columnheader">End</span>
            <span role="columnheader" class="wide-only">
              Profile
            </span>
            <span role="columnheader" class="wide-only number">
              Tokens
            </span>
            <span role="columnheader" class="wide-only number">
              Segments
            </span>
          </div>
        </div>
        <div role="rowgroup" style={{ height: `${rows.getTotalSize()}px` }}>
          {items.map(({ index, start }) => (
            <TableRow
              key={index}
              row={rowAt(first + index)}
              href={hrefAt(first + index)}
              at={first + index}
              top={start}
              isChosen={index === chosen}
            />
          ))}
        </div>
      </div>
    </>
  );
}

interface PartsProps {
  readonly parts: number;
  readonly part: number;
  readonly found: number;
  readonly onPart: (part: number) => void;
}

function Parts({ parts, part, found, onPart }: PartsProps) {
  return (
    <p class="parts">
      <button type="button" disabled={part === 0} onClick={() => onPart(part - 1)}>
        Earlier
      </button>
      <span>
        {count(part * PART + 1)} to {count(Math.min(found, (part + 1) * PART))} of {count(found)}
      </span>
      <button type="button" disabled={part === parts - 1} onClick={() => onPart(part + 1)}>
        Later
      </button>
    </p>
  );
}

interface TableRowProps {
  readonly row: RowAnswer | undefined;
  readonly href: string | undefined;
  readonly at: number;
  readonly top: number;
  readonly isChosen: boolean;
}

function TableRow({ row, href, at, top, isChosen }: TableRowProps) {
  return (
    <div
      role="row"
      aria-rowindex={at + 1}
      class={isChosen ? 'chosen' : ''}
      style={{ transform: `translateY(${top}px)`, height: `${ROW_HEIGHT}px` }}
    >
      <span role="cell" class="question">
        {row && href ? (
          <a href={href}>
            <InertText text={row.question || row.key} />
          </a>
        ) : (
          '…'
        )}
      </span>
      <span role="cell">{row && endOf(row)}</span>
      <span role="cell" class="wide-only">
        {row?.profile}
      </span>
      <span role="cell" class="wide-only number">
        {row?.figures.tokens !== undefined && count(row.figures.tokens)}
      </span>
      <span role="cell" class="wide-only number">
        {row?.figures.segments !== undefined && count(row.figures.segments)}
      </span>
    </div>
  );
}

/** How a record ended, or how far it is. */
export function endOf({ state, reason, stage }: RowAnswer) {
  const isOpen = state !== 'kept' && !reason;
  return (
    <>
      <span class={`dot ${state}`} aria-hidden="true" />
      {isOpen ? `${state} after ${stage}` : words(reason || state)}
    </>
  );
}

/** The filter with a row's place in its list, so that the record's page finds its neighbours. */
export function withPlace(filter: Iterable<[string, string]>, at: number): URLSearchParams {
  return new URLSearchParams([...filter, ['at', String(at)]]);
}

function useVirtualRows(scroller: preact.RefObject<HTMLDivElement | null>, size: number) {
  const [, redraw] = useState(0);
  const options = {
    count: size,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    paddingStart: 0,
    scrollPaddingStart: ROW_HEIGHT,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((times) => times + 1),
  };
  const [rows] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  rows.setOptions(options);
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  return rows;
}

/** Rows by their place in the list, asked for in blocks as they come into sight. */
function useBlocks(path: string, revision: number, [from, to]: readonly [number, number]) {
  const key = `${path} ${revision}`;
  const blocks = useRef({
    key,
    rows: new Map<number, readonly RowAnswer[]>(),
    before: new Map<number, readonly RowAnswer[]>(),
  });
  const [, redraw] = useState(0);
  if (blocks.current.key !== key) {
    const isSameList = blocks.current.key.startsWith(`${path} `);
    // What stood there stays until the new rows are there.
    const before = isSameList ? new Map([...blocks.current.before, ...blocks.current.rows]) : new Map();
    blocks.current = { key, rows: new Map(), before };
  }
  const [first, last] = [Math.floor(from / BLOCK), Math.floor(to / BLOCK)];
  useEffect(() => {
    const own = blocks.current;
    for (let block = first; block <= last; block++) {
      if (own.rows.has(block)) continue;
      own.rows.set(block, own.before.get(block) ?? []);
      void fetchAnswer<WindowAnswer>(`${path}&from=${block * BLOCK}&count=${BLOCK}`).then(({ rows }) => {
        own.rows.set(block, rows);
        if (blocks.current === own) redraw((times) => times + 1);
      });
    }
  }, [key, first, last, path]);
  return (at: number): RowAnswer | undefined => {
    const { rows, before } = blocks.current;
    const block = Math.floor(at / BLOCK);
    return (rows.get(block) ?? before.get(block))?.[at % BLOCK];
  };
}
