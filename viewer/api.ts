/** Types of the server's answers and of what pages send. */

import type { QueuedRecord, ReviewRequest, recordReviews, reviewAnswer } from './review/reviewRoutes.ts';
import type { countsAnswer, liveMessage, sourcesAnswer, windowAnswer } from './server/createViewerApp.ts';
import type { reportAnswer } from './server/describeRun.ts';
import type { jobAnswer, jobsAnswer, rolloutsAnswer } from './server/jobAnswer.ts';
import type { RowAnswer } from './server/listedRows.ts';
import type { previewAnswer } from './server/previewAnswer.ts';
import type {
  cardAnswer,
  checkAnswer,
  compareAnswer,
  compareEvaluationsAnswer,
  samplesAnswer,
} from './server/resultAnswers.ts';
import type { TokensAnswer } from './server/rowTokens.ts';
import type { RecordAnswer, RunSource } from './server/runSource.ts';
import type { SourceAnswer } from './server/sources.ts';
import type { JobCurve, ViewedJob } from './server/viewedJob.ts';

export type {
  JobCurve,
  QueuedRecord,
  RecordAnswer,
  ReviewRequest,
  RowAnswer,
  SourceAnswer,
  TokensAnswer,
  ViewedJob,
};

type AnswerOf<Make extends (...given: never[]) => unknown> = Awaited<ReturnType<Make>>;

export type SourcesAnswer = AnswerOf<typeof sourcesAnswer>;

export type RunAnswer = AnswerOf<RunSource['describe']>;

/** `/api/sources/NAME/report` */
export type ReportAnswer = AnswerOf<typeof reportAnswer>;

/** `/api/sources/NAME/counts` with a filter */
export type CountsAnswer = AnswerOf<typeof countsAnswer>;

/** `/api/sources/NAME/window` with a filter, `from` and `count` */
export type WindowAnswer = AnswerOf<typeof windowAnswer>;

/** Event data of `/api/sources/NAME/live` */
export type LiveMessage = AnswerOf<typeof liveMessage>;

export type JobAnswer = AnswerOf<typeof jobAnswer>;

export type RolloutsAnswer = AnswerOf<typeof rolloutsAnswer>;

/** `/api/jobs`: the training jobs of all runs. */
export type JobsAnswer = AnswerOf<typeof jobsAnswer>;

/** `/api/compare?a=RUN&b=RUN` */
export type CompareAnswer = AnswerOf<typeof compareAnswer>;

/** `/api/compare-evaluations?a=NAME&b=NAME&b=NAME` */
export type CompareEvaluationsAnswer = AnswerOf<typeof compareEvaluationsAnswer>;

/** `/api/evaluations/NAME/BENCHMARK/samples` with `result` and `from` */
export type SamplesAnswer = AnswerOf<typeof samplesAnswer>;

export type CheckAnswer = AnswerOf<typeof checkAnswer>;

export type CardAnswer = AnswerOf<typeof cardAnswer>;

/** `/api/sources/NAME/preview` with `file` and `row` */
export type PreviewAnswer = AnswerOf<typeof previewAnswer>;

/** `/api/sources/NAME/review` with a filter, and `sample` and `seed` where a sample is wanted */
export type ReviewAnswer = AnswerOf<typeof reviewAnswer>;

/** `/api/sources/NAME/review/KEY`, for GET and POST */
export type RecordReviewsAnswer = AnswerOf<typeof recordReviews>;
