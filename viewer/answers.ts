/** What pages ask for and is as the server makes it: types alone. What both sides agree on stands in `api.ts`. */
import type { countsAnswer, liveMessage, sourcesAnswer, windowAnswer } from './server/createViewerApp.ts';
import type { reportAnswer } from './server/describeRun.ts';
import type { jobsAnswer } from './server/jobAnswer.ts';
import type { previewAnswer } from './server/previewAnswer.ts';
import type {
  auditAnswer,
  cardAnswer,
  compareAnswer,
  compareEvaluationsAnswer,
  samplesAnswer,
} from './server/resultAnswers.ts';

/** `/api/sources` */
export type SourcesAnswer = Awaited<ReturnType<typeof sourcesAnswer>>;

/** `/api/sources/NAME/report`: what the records of a run add up to. */
export type ReportAnswer = ReturnType<typeof reportAnswer>;

/** `/api/sources/NAME/counts` with a filter */
export type CountsAnswer = Awaited<ReturnType<typeof countsAnswer>>;

/** `/api/sources/NAME/window` with a filter, `from` and `count` */
export type WindowAnswer = Awaited<ReturnType<typeof windowAnswer>>;

/** What `/api/sources/NAME/live` sends, as the data of each event. */
export type LiveMessage = Awaited<ReturnType<typeof liveMessage>>;

/** How a record may differ between two runs. */
export type ChangeKind = keyof CompareAnswer['changes'];

/** `/api/compare?a=RUN&b=RUN` */
export type CompareAnswer = Awaited<ReturnType<typeof compareAnswer>>;

/** `/api/evaluations/NAME/BENCHMARK/samples` with `result` and `from` */
export type SamplesAnswer = Awaited<ReturnType<typeof samplesAnswer>>;

/** `/api/sources/NAME/audit` */
export type AuditAnswer = Awaited<ReturnType<typeof auditAnswer>>;

/** `/api/sources/NAME/card` */
export type CardAnswer = Awaited<ReturnType<typeof cardAnswer>>;

/** `/api/sources/NAME/preview` with `file` and `row` */
export type PreviewAnswer = Awaited<ReturnType<typeof previewAnswer>>;

/** `/api/jobs`: the training jobs of all runs. */
export type JobsAnswer = Awaited<ReturnType<typeof jobsAnswer>>;

/** `/api/compare-evaluations?a=NAME&b=NAME&b=NAME` */
export type CompareEvaluationsAnswer = Awaited<ReturnType<typeof compareEvaluationsAnswer>>;
