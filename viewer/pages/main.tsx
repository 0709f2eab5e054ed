import { type ComponentChildren, render } from 'preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { ReviewPage } from '../review/ReviewPage.tsx';
import { DatasetPage } from './DatasetPage.tsx';
import { exported, exportedHref } from './exported.ts';
import { Help } from './Help.tsx';
import { RecordPage } from './RecordPage.tsx';
import { RowsPage } from './RowsPage.tsx';
import { CopiedRows } from './RowsTable.tsx';
import { RunPage } from './RunPage.tsx';
import { RunsPage } from './RunsPage.tsx';
import { CompareEvaluationsPage } from './results/CompareEvaluationsPage.tsx';
import { ComparePage } from './results/ComparePage.tsx';
import { EvaluationPage } from './results/EvaluationPage.tsx';
import { TrainingPage } from './results/TrainingPage.tsx';
import { Shell } from './Shell.tsx';
import './style.css';

function NotFound() {
  return <Shell title="There is nothing here" trail={[]} error="No page has this address." />;
}

/** Where an exported page is: what the viewer's address would be, whatever folder its file lies in. */
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

render(<App />, document.getElementById('app')!);
