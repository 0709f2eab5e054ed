import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProcesses } from '../../base/processes/findProcesses.ts';
import { systemClock } from '../../base/systemClock.ts';
import { stopJob } from '../../training/closeAttempt.ts';
import { followJob } from '../../training/followJob.ts';
import { lastAttempt, readJob, withJob, withLastAttempt, writeJob } from '../../training/jobFolder.ts';
import type { JobStatus } from '../../training/jobStatus.ts';
import { processControl } from '../../training/launchers/processLaunchers.ts';
import { resumeJob } from '../../training/resumeJob.ts';
import { startAttempt } from '../../training/startAttempt.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { samplePlan, sampleRecord } from './support/sampleJob.ts';

/** Patient: a process that does as it is told may get no core for a while. */
const control = processControl(systemClock, 120_000);
const resuming = { control, clock: systemClock, beforeStart: async () => {} };
const steps = 6;

/**
 * A trainer in a few lines: goes on from the newest checkpoint, takes a step every 50 ms, saves every second step. What
 * stands in `$AT_STEP_4` is done at step 4 of the first attempt.
 */
const trainer = `
mkdir -p output
from=$(ls -d output/checkpoint-* 2>/dev/null | sed 's/.*-//' | sort -n | tail -1)
echo "from step \${from:-0}"
for step in $(seq $((\${from:-0} + 1)) ${steps}); do
  sleep 0.05
  echo "{\\"current_steps\\": $step, \\"total_steps\\": ${steps}, \\"loss\\": $((10 - step)).5, \\"lr\\": 0.001}" >> output/trainer_log.jsonl
  if [ $((step % 2)) = 0 ]; then
    mkdir -p output/checkpoint-$step
    if [ $step = 4 ] && [ ! -e seen ]; then touch seen; eval "$AT_STEP_4"; fi
    echo '{}' > output/checkpoint-$step/trainer_state.json
  fi
done`;

/** Starts a job whose first attempt does something at step 4. */
async function startJob(atStep4: string) {
  const folder = temporaryFolder();
  const record = sampleRecord({
    plan: samplePlan({ steps: { per_epoch: steps, total: steps, rows_left_out: 0 } }),
    start: { argv: ['bash', '-c', trainer], env: { AT_STEP_4: atStep4 } },
  });
  const started = await withJob(folder, systemClock, () =>
    startAttempt(folder, record, control, systemClock),
  );
  onTestFinished(() => control.stop(lastAttempt(started).handle, folder));
  const seen: JobStatus[] = [];
  const follow = async () =>
    followJob(folder, (await readJob(folder))!, {
      control,
      clock: systemClock,
      observer: { status: (status) => void seen.push(status) },
    });
  return { folder, follow, seen };
}

const losses = (seen: readonly JobStatus[]) => seen.at(-1)!.curve.steps.map(({ loss }) => loss);
const allLosses = [9.5, 8.5, 7.5, 6.5, 5.5, 4.5];

test('a job is followed to its end, by two at once; it is not resumed then', async () => {
  const { folder, follow, seen } = await startJob('until [ -e followed ]; do sleep 0.02; done');
  const both = Promise.all([follow(), follow()]);
  await expect.poll(() => seen.length).toBeGreaterThan(1);
  writeFileSync(join(folder, 'followed'), '');
  const [one, other] = await both;
  expect(other).toEqual(one);
  expect(lastAttempt(one).end).toMatchObject({ outcome: 'finished', exit_code: 0, cause: null });
  expect(seen[0]!.state.kind).toBe('running');
  expect(seen.at(-1)!.progress).toMatchObject({ step: steps, totalSteps: steps, loss: 4.5 });
  expect(losses(seen)).toEqual(allLosses);
  expect(await resumeJob(folder, resuming)).toMatchObject({ found: 'finished' });
  expect(existsSync(join(folder, 'lock.json'))).toBe(false);
});

test('a trainer that is killed while it saves goes on from the checkpoint before, with its worker ended', async () => {
  const { folder, follow, seen } = await startJob('setsid sleep 300 & kill -9 $$');
  expect(lastAttempt(await follow()).end).toMatchObject({
    outcome: 'failed',
    exit_code: 137,
    cause: 'killed',
  });
  expect(findProcesses('COA_DISTILL_JOB', folder)).toEqual([]);
  const { found, record } = await resumeJob(folder, resuming);
  expect(found).toBe('resumed');
  expect(lastAttempt(record)).toMatchObject({
    from_step: 2,
    set_aside: ['output/checkpoint-4 -> torn-checkpoint-4'],
  });
  expect(lastAttempt(await follow()).end).toMatchObject({ outcome: 'finished' });
  expect(losses(seen)).toEqual(allLosses);
  expect(readFileSync(join(folder, 'console.log'), 'utf8')).toMatch(
    /^from step 0\n(Killed\n)?from step 2\n$/,
  );
});

test('a job is stopped while it is followed; the follower is told so, and it goes on later', async () => {
  const { folder, follow } = await startJob('sleep 300');
  const followed = follow();
  await waitUntil('the trainer', () => existsSync(join(folder, 'seen')));
  expect(await resumeJob(folder, resuming)).toMatchObject({ found: 'running' });
  expect(await stopJob(folder, control, systemClock)).toMatchObject({ stopped: true });
  expect(lastAttempt(await followed).end).toMatchObject({ outcome: 'stopped', exit_code: 143, cause: null });
  expect(findProcesses('COA_DISTILL_JOB', folder)).toEqual([]);
  expect(await stopJob(folder, control, systemClock)).toMatchObject({ stopped: false });
  await resumeJob(folder, resuming);
  expect(lastAttempt(await follow()).end).toMatchObject({ outcome: 'finished' });
});

test('an attempt is judged by what it printed itself, not by what earlier ones did', async () => {
  const { folder, follow } = await startJob('echo "OSError: [Errno 28] No space left on device"; exit 1');
  expect(lastAttempt(await follow()).end).toMatchObject({ cause: 'disk_full' });
  await resumeJob(folder, resuming);
  const { last_words: words } = lastAttempt(await follow()).end!;
  expect(words).toBe('from step 2');
});

test('an end well before the last step of the plan is a failure', async () => {
  const { follow } = await startJob('exit 0');
  expect(lastAttempt(await follow()).end).toMatchObject({
    outcome: 'failed',
    exit_code: 0,
    cause: 'steps_missing',
    last_words: `4 of ${steps} steps were logged`,
  });
});

test('following can be given up, and the job goes on', async () => {
  const { folder } = await startJob('sleep 300');
  const record = (await readJob(folder))!;
  const stop = new AbortController();
  const observer = { status: () => stop.abort(new Error('given up')) };
  const given = followJob(folder, record, { control, clock: systemClock, observer, signal: stop.signal });
  await expect(given).rejects.toThrow('given up');
  expect(await control.state(lastAttempt(record).handle, folder)).toEqual({ kind: 'running' });
});

/** A record whose only attempt has ended by a stop, on disk. */
async function stoppedJob(changed: { cause?: 'nan_loss'; hyperParameters?: object }): Promise<string> {
  const { folder, follow } = await startJob('');
  const record = withLastAttempt(await follow(), {
    end: { outcome: 'stopped', exit_code: 143, cause: changed.cause ?? null, last_words: 'x' },
  });
  const plan = samplePlan({ hyper_parameters: { ...changed.hyperParameters } });
  await writeJob(folder, { ...record, plan });
  return folder;
}

test('a job whose checkpoints are of no use is not gone on with', async () => {
  const nan = await stoppedJob({ cause: 'nan_loss' });
  await expect(resumeJob(nan, resuming)).rejects.toThrow('its checkpoints hold such weights');
  const bare = await stoppedJob({ hyperParameters: { save_only_model: true } });
  await expect(resumeJob(bare, resuming)).rejects.toThrow(/save_only_model.*--job/);
  rmSync(join(bare, 'output'), { recursive: true });
  expect(await resumeJob(bare, resuming)).toMatchObject({ found: 'resumed' });
});

test('a job that can not be written down is stopped again', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'job.json/in the way'), { recursive: true });
  const record = sampleRecord({ start: { argv: ['sleep', '300'], env: {} } });
  await expect(startAttempt(folder, record, control, systemClock)).rejects.toThrow('job.json');
  expect(findProcesses('COA_DISTILL_JOB', folder)).toEqual([]);
});
