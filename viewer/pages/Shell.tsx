import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { IndexProgress } from '../index/liveIndex.ts';
import { InertText } from './InertText.tsx';
import { exported, useIsWaiting } from './useAnswer.ts';

interface ShellProps {
  readonly title: string;
  readonly trail: readonly { readonly href?: string; readonly name: string }[];
  readonly run?: string | undefined;
  readonly progress?: IndexProgress | undefined;
  readonly isRunning?: boolean | undefined;
  readonly error?: string | undefined;
  readonly children?: ComponentChildren;
  readonly isWide?: boolean;
}

export function Shell({ title, trail, run, progress, isRunning, error, children, isWide }: ShellProps) {
  useEffect(() => {
    document.title = `${title} · coa-distill`;
  }, [title]);
  const isWaiting = useIsWaiting();
  return (
    <div class={isWide ? 'shell wide' : 'shell'}>
      <header>
        <nav aria-label="Where you are">
          <ol>
            <li>
              <a href="/">coa-distill</a>
            </li>
            {trail.map(({ href, name }) => (
              <li key={name}>{href ? <a href={href}>{name}</a> : <span aria-current="page">{name}</span>}</li>
            ))}
          </ol>
        </nav>
        <p class="live" role="status">
          {isRunning && <span class="running">running</span>}
          {progress?.isGrowing && <span>indexing: {Math.floor(progress.share * 100)}%</span>}
          {progress !== undefined && progress.damaged > 0 && (
            <span class="bad">{progress.damaged} damaged lines</span>
          )}
        </p>
      </header>
      {run !== undefined && !exported && <RunPages run={run} />}
      <main>
        <h1>{title}</h1>
        {progress?.problem !== undefined && (
          <p class="error" role="alert">
            <InertText text={progress.problem} />
          </p>
        )}
        {error !== undefined && error !== progress?.problem && (
          <p class="error" role="alert">
            {error} <a href="/">All runs</a>
          </p>
        )}
        {isWaiting && (
          <p class="empty waiting" role="status">
            Loading …
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

const runPages: readonly (readonly [title: string, path: string, within?: string])[] = [
  ['Overview', ''],
  ['Records', '/rows', '/records/'],
  ['Review', '/review'],
  ['Dataset and training', '/dataset', '/training/'],
];

function RunPages({ run }: { readonly run: string }) {
  const { path } = useLocation();
  const base = `/runs/${encodeURIComponent(run)}`;
  return (
    <nav class="tabs" aria-label="Pages of the run">
      {runPages.map(([title, own, within]) => {
        const isCurrent = path === base + own;
        const isAround = within !== undefined && path.startsWith(base + within);
        return (
          <a key={title} href={base + own} aria-current={isCurrent ? 'page' : isAround ? 'true' : undefined}>
            {title}
          </a>
        );
      })}
    </nav>
  );
}
