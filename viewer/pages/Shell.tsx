import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { IndexProgress } from '../api.ts';
import { InertText } from './InertText.tsx';

interface ShellProps {
  readonly title: string;
  /** Where the page stands, from the outside in. */
  readonly trail: readonly { readonly href?: string; readonly name: string }[];
  readonly progress?: IndexProgress | undefined;
  readonly isRunning?: boolean | undefined;
  readonly error?: string | undefined;
  readonly children?: ComponentChildren;
  readonly isWide?: boolean;
}

/** What all pages have around them. */
export function Shell({ title, trail, progress, isRunning, error, children, isWide }: ShellProps) {
  useEffect(() => {
    document.title = `${title} · coa-distill`;
  }, [title]);
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
      <main>
        <h1>{title}</h1>
        {progress?.problem !== undefined && (
          <p class="error" role="alert">
            <InertText text={progress.problem} />
          </p>
        )}
        {error !== undefined && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}
