import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import PQueue from 'p-queue';
import { dollars } from '../../base/figures.ts';
import { printable } from '../../base/printable.ts';
import { Resources } from '../../base/resources.ts';
import { UserError } from '../../base/userError.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { uncountedCalls } from '../../calls/sessionCalls.ts';
import {
  type LabelledAnswer,
  readCalibrationRows,
  reviewedAnswers,
} from '../../operations/labelledAnswers.ts';
import { loadSettings } from '../../operations/standalone/loadSettings.ts';
import { openJudgeModel } from '../../pipeline/compose/openSectionModels.ts';
import { checkedServiceUrl } from '../../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../../pipeline/config/toolsConfig.ts';
import { createSession } from '../../pipeline/createSession.ts';
import { checkNeeds, judgeModelNeeds } from '../../pipeline/preflight.ts';
import { findRun } from '../../pipeline/run/findRun.ts';
import { RunError } from '../../pipeline/run/runError.ts';
import type { Config } from '../../schemas/config/config.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import type { CalibratedJudge, CalibrationLine, JudgeAgreement } from '../../schemas/judgeCalibration.ts';
import { calibrateRow } from '../../stages/judge/calibrateRow.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { formatCount, formatTable } from '../format.ts';
import { print } from '../outputMode.ts';
import { stopOnSignals } from '../stopOnSignals.ts';
import { Calibration, type CalibrationTotals, type Disagreement } from './calibration.ts';

interface CalibrateOptions {
  readonly config?: string;
  readonly set: readonly string[];
  readonly limit?: number;
  /** Run whose reviews are the labels, in place of a file. */
  readonly reviews?: string;
  readonly json?: true;
}

/** Configuration to measure: `--set` over environment over file. Throws `UserError` if invalid. */
async function calibrationSettings(options: Pick<CalibrateOptions, 'config' | 'set'>): Promise<Config> {
  if (options.config !== undefined) loadDotEnv(options.config);
  const { config } = await loadSettings({
    ...(options.config !== undefined && { config: options.config }),
    set: options.set,
  });
  const environment = process.env.OPENAI_BASE_URL?.trim();
  if (!environment || config.teacher.model.endpoint.base_url !== undefined) return config;
  const base_url = checkedServiceUrl(environment, 'the environment variable OPENAI_BASE_URL');
  const { model } = config.teacher;
  const endpoint = { ...model.endpoint, base_url };
  return { ...config, teacher: { ...config.teacher, model: { ...model, endpoint } } };
}

/** Cache of the model's answers, so that repeats are free. */
const CACHE = 'runs/.cache/judge.sqlite';

/** Opens the configured model behind a cache; undefined without one. */
async function openCalibratedModel(
  config: Config,
  { resources, drain }: { readonly resources: Resources; readonly drain: AbortSignal },
): Promise<JudgeModel | undefined> {
  if (!config.judge.model) return undefined;
  mkdirSync(dirname(CACHE), { recursive: true });
  const log = (line: string): void => console.error(line);
  const cache = resources.keep(await SqliteAnswerCache.open(CACHE, log));
  const calls = uncountedCalls(drain);
  return openJudgeModel(config, cache, createSession({ calls, log, resources }));
}

/** Compares a judge with the labels of a file, or of a run's reviews, and prints the result. */
export async function runCalibrate(file: string | undefined, options: CalibrateOptions): Promise<void> {
  const rows = await labelledAnswers(file, options);
  const config = await calibrationSettings(options);
  const shown = shownJudge(config);
  await checkNeeds(judgeModelNeeds(config), process.env);
  await using resources = new Resources();
  using stop = stopOnSignals({ resume: 'the same command' });
  const model = await openCalibratedModel(config, { resources, drain: stop.drain });
  const calibration = new Calibration(model ? ['rule', 'model', 'rule_then_model'] : ['rule'], shown);
  await judgeRows(rows, { config, model, calibration, signal: stop.signal });
  if (calibration.neverAsked !== undefined) {
    throw new RunError(`the judge's model could not be asked about any answer: ${calibration.neverAsked}`);
  }
  await print(
    options.json
      ? jsonLines(calibration)
      : renderCalibration(calibration.totals(), calibration.disagreements()),
  );
}

async function labelledAnswers(
  file: string | undefined,
  { reviews, limit }: CalibrateOptions,
): Promise<AsyncGenerator<LabelledAnswer>> {
  if (file !== undefined && reviews === undefined) return readCalibrationRows(file, limit);
  if (file !== undefined || reviews === undefined)
    throw new UserError('name a file of labelled answers, or with --reviews a run that people reviewed');
  return reviewedAnswers((await findRun(reviews)).folder, (line) => console.error(line), limit);
}

/** Judge as configured; for rules with a model, the model decides if no rule matches. */
function shownJudge({ judge }: Config): CalibratedJudge {
  return judge.text === 'rule' && judge.model ? 'rule_then_model' : judge.text;
}

interface Judging {
  readonly config: Config;
  readonly model: JudgeModel | undefined;
  readonly calibration: Calibration;
  readonly signal: AbortSignal;
}

/** Judges rows concurrently and lazily; the first error ends all. */
async function judgeRows(
  rows: AsyncIterable<LabelledAnswer>,
  { config, model, calibration, signal }: Judging,
): Promise<void> {
  const concurrency = model ? concurrencyOf(config.judge.model!.endpoint) : 1;
  const queue = new PQueue({ concurrency });
  const fault = new AbortController();
  const both = AbortSignal.any([signal, fault.signal]);
  const work = async (labelled: LabelledAnswer): Promise<void> => {
    try {
      calibration.add(
        labelled,
        await calibrateRow(labelled.row, { config: config.judge, model, signal: both }),
      );
    } catch (error) {
      fault.abort(error);
    }
  };
  try {
    for await (const labelled of rows) {
      await queue.onSizeLessThan(1);
      if (both.aborted) break;
      void queue.add(() => work(labelled));
    }
  } catch (error) {
    fault.abort(error);
  }
  await queue.onIdle();
  both.throwIfAborted();
}

function jsonLines(calibration: Calibration): string {
  const lines: CalibrationLine[] = [
    ...calibration.disagreements().map((disagreement) => ({ disagreement })),
    { totals: calibration.totals() },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Maximum disagreements printed; `--json` prints all. */
const MAX_SHOWN = 50;

/** Maximum length of a text in the table of disagreements. */
const MAX_CELL_CHARACTERS = 40;

function renderCalibration(totals: CalibrationTotals, disagreements: readonly Disagreement[]): string {
  const { rows, correct, judges } = totals;
  const labels = `${formatCount(rows)} labelled answers: ${formatCount(correct)} correct, ${formatCount(rows - correct)} incorrect`;
  const table = formatTable([
    ['judge', 'scored', 'unscored', 'precision', 'recall', 'F1', 'kappa', 'tokens', 'cost'],
    ...judges.map(agreementRow),
  ]);
  return `${[labels, '', ...table, '', ...disagreementLines(disagreements)].join('\n')}\n`;
}

function agreementRow(agreement: JudgeAgreement): (string | number)[] {
  const { judge, unscored, precision, recall, f1, kappa, cost_usd } = agreement;
  const scored =
    agreement.true_correct + agreement.false_correct + agreement.true_incorrect + agreement.false_incorrect;
  const ratios = [precision, recall, f1, kappa].map((ratio) => (ratio === null ? '-' : ratio.toFixed(3)));
  const tokens = formatCount(agreement.prompt_tokens + agreement.completion_tokens);
  return [judge, scored, unscored, ...ratios, tokens, cost_usd === 0 ? '-' : dollars(cost_usd)];
}

function disagreementLines(disagreements: readonly Disagreement[]): string[] {
  const [first] = disagreements;
  if (!first) return ['No disagreement with the labels.'];
  const shown = disagreements.slice(0, MAX_SHOWN).map((one) => {
    const texts = [one.prediction, one.answers.join(' / '), one.why].map(cell);
    return [one.line, one.label, one.judged, ...texts];
  });
  const left = disagreements.length - shown.length;
  return [
    `Disagreements of ${first.judge} with the labels: ${formatCount(disagreements.length)}`,
    ...formatTable([['line', 'label', 'judged', 'prediction', 'gold', 'why'], ...shown]),
    ...(left === 0 ? [] : [`and ${formatCount(left)} more; --json prints all`]),
  ];
}

function cell(text: string): string {
  const line = printable(text.replace(/\s+/g, ' '));
  return line.length <= MAX_CELL_CHARACTERS
    ? line
    : `${line.slice(0, MAX_CELL_CHARACTERS - 1).toWellFormed()}…`;
}
