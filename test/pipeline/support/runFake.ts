import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../base/systemClock.ts';
import { openEventLog } from '../../../pipeline/run/eventLog.ts';
import type { RunObserver } from '../../../pipeline/run/stageWork.ts';
import { runWindows } from '../../../pipeline/run/windows/runWindows.ts';
import type { TargetConfig } from '../../../schemas/config/target.ts';
import type { FakePipeline } from './fakeStages.ts';

/** Runs a fake pipeline; with `stopAfter` the run is stopped once so many outcomes were recorded. */
export async function runFake(
  runFolder: string,
  { stages, target }: Pick<FakePipeline, 'stages'> & { readonly target?: TargetConfig },
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<'finished' | 'stopped'> {
  const stop = new AbortController();
  let left = stopAfter;
  const observer: RunObserver = {
    stageStarted() {},
    stageFinished() {},
    outcome() {
      if (--left <= 0) stop.abort(new Error('stopped by the test'));
    },
  };
  const events = await openEventLog(runFolder, systemClock);
  try {
    await runWindows({
      runFolder,
      stages,
      target,
      stop: { drain: stop.signal, signal: stop.signal },
      events,
      observer,
      log: () => {},
    });
    return 'finished';
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return 'stopped';
  } finally {
    await events.close();
  }
}

/** What a run folder says, whatever the order in which things were finished: every line in input order. */
export function orderedContent(
  runFolder: string,
  stages: readonly string[] = ['tasks', 'rollout', 'export'],
): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const stage of stages) {
    for (const file of ['records.jsonl', 'ledger.jsonl']) {
      content[`${stage}/${file}`] = readJsonLines(join(runFolder, stage, file)).sort(
        (a, b) => Number(a.index) - Number(b.index),
      );
    }
    content[`${stage}/stage.json`] = readFileSync(join(runFolder, stage, 'stage.json'), 'utf8');
  }
  return content;
}

/** The lines of a JSONL file; none when it is not there. */
export function readJsonLines(path: string): Record<string, unknown>[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
