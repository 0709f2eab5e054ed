import { render } from 'preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { DatasetPage } from './DatasetPage.tsx';
import { Help } from './Help.tsx';
import { RecordPage } from './RecordPage.tsx';
import { RowsPage } from './RowsPage.tsx';
import { RunPage } from './RunPage.tsx';
import { RunsPage } from './RunsPage.tsx';
import { ComparePage } from './results/ComparePage.tsx';
import { EvaluationPage } from './results/EvaluationPage.tsx';
import { TrainingPage } from './results/TrainingPage.tsx';
import { WhatIfPage } from './results/WhatIfPage.tsx';
import { ReviewPage } from './review/ReviewPage.tsx';
import './style.css';

function NotFound() {
  return (
    <main>
      <h1>There is nothing here</h1>
      <p>
        <a href="/">All runs</a>
      </p>
    </main>
  );
}

function App() {
  return (
    <LocationProvider>
      <Router>
        <Route path="/" component={RunsPage} />
        <Route path="/runs/:name" component={RunPage} />
        <Route path="/runs/:name/dataset" component={DatasetPage} />
        <Route path="/runs/:name/training/:job" component={TrainingPage} />
        <Route path="/runs/:name/what-if" component={WhatIfPage} />
        <Route path="/compare" component={ComparePage} />
        <Route path="/evaluations/:name" component={EvaluationPage} />
        <Route path="/runs/:name/review" component={ReviewPage} />
        <Route path="/:kind/:name/rows" component={RowsPage} />
        <Route path="/:kind/:name/records/:id" component={RecordPage} />
        <Route default component={NotFound} />
      </Router>
      <Help />
    </LocationProvider>
  );
}

render(<App />, document.getElementById('app')!);
