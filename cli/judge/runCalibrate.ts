import PQueue from 'p-queue';
import { Resources } from '../../base/resources.ts';
import { UserError } from '../../base/userError.ts';
import { findRun } from '../../operations/findRun.ts';
import { reviewedAnswers } from '../../operations/reviewedAnswers.ts';
import { checkNeeds, judgeModelNeeds } from '../../pipeline/preflight.ts';
import { RunError } from '../../pipeline/run/runError.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { CalibratedJudge, CalibrationLine } from '../../schemas/judgeCalibration.ts';
import { calibrateRow } from '../../stages/judge/calibrateRow.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { print } from '../print.ts';
import { stopOnSignals } from '../stopOnSignals.ts';
import { Calibration } from './calibration.ts';
import type { CalibrateOptions } from './calibrationSettings.ts';
import { calibrationSettings, openCalibratedModel } from './calibrationSettings.ts';
import { type LabelledAnswer, readCalibrationRows } from './readCalibrationRows.ts';
import { renderCalibration } from './renderCalibration.ts';

/** Measures a judge against the labels of a file, or of people who reviewed a run, and prints what comes of it. */
export async function runCalibrate(file: string | undefined, options: CalibrateOptions): Promise<void> {
  const rows = await labelledAnswers(file, options);
  const config = await calibrationSettings(options);
  const shown = shownJudge(config, options);
  await checkNeeds(judgeModelNeeds(config), process.env);
  const resources = new Resources();
  const stop = stopOnSignals({ resume: 'the same command' });
  try {
    const model = await openCalibratedModel(config, options.cache, { resources, drain: stop.drain });
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
  } finally {
    stop.release();
    await resources.closeAll();
  }
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

/** As the configuration judges; with a model on the command line alone, the model where the rules find no match. */
function shownJudge({ judge }: Config, options: CalibrateOptions): CalibratedJudge {
  if (!judge.model && options.judge !== undefined && options.judge !== 'rule') {
    throw new UserError(`--judge ${options.judge}: there is no model to ask; name one with --model`);
  }
  if (options.judge !== undefined) return options.judge;
  return judge.text === 'rule' && options.model !== undefined ? 'rule_then_model' : judge.text;
}

interface Judging {
  readonly config: Config;
  readonly model: JudgeModel | undefined;
  readonly calibration: Calibration;
  readonly signal: AbortSignal;
}

/** Several rows at once, read as they are needed; the first error ends all. */
async function judgeRows(
  rows: AsyncIterable<LabelledAnswer>,
  { config, model, calibration, signal }: Judging,
): Promise<void> {
  const concurrency = model ? config.judge.model!.endpoint.concurrency : 1;
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
