import './style.css';
import { type ComponentChildren, render } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso';
import { ReviewPage } from '../review/ReviewPage.tsx';
import { DatasetPage } from './DatasetPage.tsx';
import { activeKeys, keyTable, useKeys } from './keys.ts';
import { RecordPage } from './RecordPage.tsx';
import { CopiedRows } from './RecordsTable.tsx';
import { RowsPage } from './RowsPage.tsx';
import { RunPage } from './RunPage.tsx';
import { RunsPage } from './RunsPage.tsx';
import { CompareEvaluationsPage } from './results/CompareEvaluationsPage.tsx';
import { ComparePage } from './results/ComparePage.tsx';
import { EvaluationPage } from './results/EvaluationPage.tsx';
import { TrainingPage } from './results/TrainingPage.tsx';
import { Shell } from './Shell.tsx';
import { exported, exportedHref } from './useAnswer.ts';
import { useStored } from './useStored.ts';

function NotFound() {
  return <Shell title="Page not found" trail={[]} error="No page has this address." />;
}

/** Gives an exported page its address in the viewer. */
function ExportedLocation({ children }: { readonly children: ComponentChildren }) {
  const path = exported!.path;
  const route = (url: string) => {
    const href = exportedHref(url);
    if (href !== undefined) location.href = href || location.pathname;
  };
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const value = { url: path + location.search, path, query, route, back: () => {}, forward: () => {} };
  return <LocationProvider.ctx.Provider value={value}>{children}</LocationProvider.ctx.Provider>;
}

const Location = exported ? ExportedLocation : LocationProvider;

function App() {
  return (
    <Location>
      <Router>
        <Route path="/" component={RunsPage} />
        <Route path="/runs/:name" component={RunPage} />
        <Route path="/runs/:name/dataset" component={DatasetPage} />
        <Route path="/runs/:name/training/:job" component={TrainingPage} />
        <Route path="/compare" component={ComparePage} />
        <Route path="/compare-evaluations" component={CompareEvaluationsPage} />
        <Route path="/evaluations/:name" component={EvaluationPage} />
        <Route path="/runs/:name/review" component={ReviewPage} />
        <Route path="/:kind/:name/rows" component={exported ? CopiedRows : RowsPage} />
        <Route path="/:kind/:name/records/:id" component={RecordPage} />
        <Route default component={NotFound} />
      </Router>
      <Help />
    </Location>
  );
}

/** Theme button and key help in the corner of every page. */
function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [active, setActive] = useState(activeKeys);
  const show = () => {
    setActive(activeKeys());
    dialog.current?.showModal();
  };
  useKeys({ '?': show });
  return (
    <>
      <div class="corner">
        <Theme />
        <button type="button" onClick={show}>
          Keys <kbd>?</kbd>
        </button>
      </div>
      <dialog ref={dialog} aria-labelledby="help-title">
        <h2 id="help-title">Keys</h2>
        <dl class="keys">
          {keyTable
            .filter(({ keys }) => keys.some((key) => active.has(key)))
            .map(({ keys, meaning }) => (
              <div key={meaning}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}

/** Label -> CSS `color-scheme`, in the order of clicks. */
const themes = { 'as the system says': 'light dark', light: 'light', dark: 'dark' };

function Theme() {
  const [{ scheme }, choose] = useStored('coa-distill theme', { scheme: themes['as the system says'] });
  useLayoutEffect(() => {
    document.documentElement.style.colorScheme = scheme;
  }, [scheme]);
  const all = Object.entries(themes);
  const at = all.findIndex(([, value]) => value === scheme);
  const title = `Theme: ${all[at]?.[0]}`;
  return (
    <button
      type="button"
      aria-label={title}
      title={title}
      onClick={() => choose({ scheme: all[(at + 1) % all.length]![1] })}
    >
      ◐
    </button>
  );
}

render(<App />, document.getElementById('app')!);
