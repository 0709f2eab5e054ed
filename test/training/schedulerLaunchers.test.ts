import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import type { JobHandle } from '../../schemas/training/jobRecord.ts';
import { kubernetes } from '../../training/launchers/kubernetes/kubernetesLauncher.ts';
import { ray } from '../../training/launchers/ray/rayLauncher.ts';
import {
  type Scheduler,
  SchedulerUnreachable,
  schedulerControl,
} from '../../training/launchers/scheduler.ts';
import { slurm } from '../../training/launchers/slurm/slurmLauncher.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { installPrograms } from './support/installPrograms.ts';
import { plannedJob } from './support/plannedJob.ts';

afterEach(() => vi.unstubAllEnvs());

/** A clock whose sleeping takes no time. */
function idleClock(): Clock & { readonly slept: number[] } {
  let nowMs = 0;
  const slept: number[] = [];
  const now = (): number => nowMs;
  return {
    now,
    monotonicMs: now,
    slept,
    async sleep(ms) {
      slept.push(ms);
      nowMs += ms;
    },
  };
}

/** Puts programs of shell in front of everything on the PATH. */
function install(programs: Readonly<Record<string, string>>): string {
  const bin = installPrograms(programs);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  return bin;
}

const request = (folder: string, argv: readonly string[], env = {}) => ({
  folder,
  argv,
  env,
  consoleFile: 'console.log',
});

test.each([
  ['slurm', slurm, ['sbatch', '--parsable', 'job.sbatch'], /sbatch was not found: .*slurm-client/],
  ['kubernetes', kubernetes, ['kubectl', 'create'], /kubectl was not found: install it .*kubernetes.io/],
] as const)('%s without its commands says what to install', async (name, launcher, argv, message) => {
  const folder = temporaryFolder();
  const { file } = plannedJob({ launcher: 'kubernetes', kubernetes: { image: 'a' } });
  if (name === 'kubernetes') writeFileSync(join(folder, 'kubernetes.yaml'), file('kubernetes.yaml'));
  vi.stubEnv('PATH', folder);
  await expect(launcher.start(request(folder, argv))).rejects.toThrow(message);
});

describe('Slurm', () => {
  const launcher = slurm;
  const handle: JobHandle = { kind: 'slurm', job_id: '7;east' };

  test('the number that sbatch prints is the job’s, with its cluster', async () => {
    install({ sbatch: 'echo "7;east"' });
    expect(await launcher.start(request(temporaryFolder(), ['sbatch', '--parsable', 'job.sbatch']))).toEqual(
      handle,
    );
    install({ sbatch: 'echo Submitted' });
    await expect(launcher.start(request(temporaryFolder(), ['sbatch']))).rejects.toThrow(
      /expected the job's number/,
    );
  });

  test('without an answer of sbatch, the job may be queued', async () => {
    install({ sbatch: 'kill -9 $$' });
    await expect(launcher.start(request(temporaryFolder(), ['sbatch']))).rejects.toThrow(
      /no answer.*may be queued all the same.*squeue/,
    );
  });

  test('a job that the controller has forgotten is looked up in the accounting', async () => {
    const bin = install({
      scontrol: 'echo "$*" >&2; echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1',
      sacct: `echo "$*" > "$(dirname "$0")/asked"; echo 'FAILED|3:0|NonZeroExitCode'`,
    });
    expect(await launcher.state(handle, temporaryFolder())).toMatchObject({ kind: 'ended', exitCode: 3 });
    expect(readFileSync(join(bin, 'asked'), 'utf8')).toMatch(/^--clusters=east --jobs 7 --allocations/);
  });

  test('where neither knows it, it is lost', async () => {
    install({
      scontrol: 'echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1',
      sacct: 'echo "Slurm accounting storage is disabled" >&2; exit 1',
    });
    expect(await launcher.state(handle, temporaryFolder())).toMatchObject({ kind: 'ended', exitCode: null });
  });

  test('a controller that does not answer is no end', async () => {
    install({ scontrol: 'echo "Unable to contact slurm controller (connect failure)" >&2; exit 1' });
    await expect(launcher.state(handle, temporaryFolder())).rejects.toThrow(SchedulerUnreachable);
  });
});

describe('Kubernetes', () => {
  /** A cluster that keeps one job; `status.json` and `pods.json` beside it are what a test says of it. */
  const kubectl = `
here="$(dirname "$0")"; echo "$*" >> "$here/asked"
case "$1 $2" in
  "get jobs.batch") [ -e "$here/job" ] && cat "$here/job"; exit 0 ;;
  "get pods") cat "$here/pods" ;;
  "create -f") cp "$here/next" "$here/job" ;;
  "delete -f") rm -f "$here/job" ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac`;
  const launcher = schedulerControl({ ...kubernetes, intervalMs: 0 }, idleClock());
  const argv = ['kubectl', 'create', '-f', 'kubernetes.yaml'];

  function cluster(jobFolder = '/data/runs/sample/train/sft') {
    const bin = install({ kubectl });
    const folder = temporaryFolder();
    const { file } = plannedJob({ launcher: 'kubernetes', kubernetes: { image: 'a', namespace: 'lab' } });
    writeFileSync(join(folder, 'kubernetes.yaml'), file('kubernetes.yaml'));
    const put = (name: string, value: object): void => writeFileSync(join(bin, name), JSON.stringify(value));
    const metadata = {
      name: 'sample-sft',
      namespace: 'lab',
      annotations: { 'coa-distill/job-folder': jobFolder },
    };
    const status = (conditions: object[]): object => ({ kind: 'Job', metadata, status: { conditions } });
    const pod = (state: object, reason: object[] = []): object => ({
      metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z' },
      status: { conditions: reason, containerStatuses: [{ state }] },
    });
    put('next', status([]));
    put('pods', { items: [] });
    const start = () => launcher.start(request(folder, argv));
    const asked = (): string => readFileSync(join(bin, 'asked'), 'utf8');
    return {
      bin,
      folder,
      put,
      status,
      pod,
      start,
      asked,
      state: (handle: JobHandle) => launcher.state(handle, folder),
    };
  }

  test('a job is created, waits with a reason, runs, and ends with the exit code of its pod', async () => {
    const { put, status, pod, start, asked, state } = cluster();
    const handle = await start();
    expect(handle).toEqual({ kind: 'kubernetes', namespace: 'lab', name: 'sample-sft' });
    expect(await state(handle)).toEqual({ kind: 'queued', reason: '' });
    const unscheduled = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes',
    };
    put('pods', { items: [pod({}, [unscheduled])] });
    expect(await state(handle)).toEqual({ kind: 'queued', reason: 'Unschedulable: 0/3 nodes' });
    put('pods', { items: [pod({ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } })] });
    expect(await state(handle)).toEqual({ kind: 'queued', reason: 'ImagePullBackOff: no such image' });
    put('pods', { items: [pod({ running: { startedAt: '2026-01-01T00:00:00Z' } })] });
    expect(await state(handle)).toEqual({ kind: 'running' });
    put('job', status([{ type: 'Complete', status: 'True' }]));
    expect(await state(handle)).toEqual({ kind: 'ended', exitCode: 0, outOfMemory: false });
    put('job', status([{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }]));
    put('pods', { items: [pod({ terminated: { exitCode: 137, reason: 'OOMKilled' } })] });
    expect(await state(handle)).toMatchObject({ kind: 'ended', exitCode: 137, outOfMemory: true });
    expect(asked()).toContain(
      'get pods --namespace=lab --selector=batch.kubernetes.io/job-name=sample-sft --output=json',
    );
  });

  test('started again it takes the place of its own earlier job, once that has ended', async () => {
    const { put, status, start, asked } = cluster();
    await start();
    await expect(start()).rejects.toThrow(/has not ended; end it with: kubectl delete -f/);
    put('job', status([{ type: 'Failed', status: 'True' }]));
    await start();
    expect(asked()).toMatch(/delete -f kubernetes.yaml .*\ncreate -f kubernetes.yaml\n$/);
  });

  test('somebody else’s job of that name stays', async () => {
    const { bin, put, status, start } = cluster('/home/other/runs/sample/train/sft');
    put('job', status([{ type: 'Complete', status: 'True' }]));
    await expect(start()).rejects.toThrow(/belongs to \/home\/other.*--job/);
    expect(existsSync(join(bin, 'job'))).toBe(true);
  });

  test('somebody else’s job of that name is neither followed nor stopped', async () => {
    const { bin, folder, put, status, pod, state } = cluster('/home/other/runs/sample/train/sft');
    const handle: JobHandle = { kind: 'kubernetes', namespace: 'lab', name: 'sample-sft' };
    put('job', status([]));
    put('pods', { items: [pod({ running: {} })] });
    expect(await state(handle)).toMatchObject({
      kind: 'ended',
      exitCode: null,
      message: expect.stringContaining('belongs to /home/other'),
    });
    await launcher.stop(handle, folder);
    expect(existsSync(join(bin, 'job'))).toBe(true);
  });

  test('what a creation that failed half-way made is removed, and nothing of somebody else’s', async () => {
    const { bin, folder, asked } = cluster();
    const owned = (kind: string, owner: string): object => ({
      kind,
      metadata: { name: 'sample-sft', namespace: 'lab', annotations: { 'coa-distill/job-folder': owner } },
    });
    const [service, job] = [owned('Service', '/home/other'), owned('Job', '/data/runs/sample/train/sft')];
    const failing = `case "$1 $2" in
  "create -f") echo "$*" >> "$(dirname "$0")/asked"; echo 'services "sample-sft" already exists' >&2; exit 1 ;;
  "get -f") echo '${JSON.stringify({ kind: 'List', items: [service, job] })}' ;;
  delete*) echo "$*" >> "$(dirname "$0")/asked" ;;
esac`;
    writeFileSync(join(bin, 'kubectl'), `#!/bin/bash\n${failing}\n`);
    await expect(launcher.start(request(folder, argv))).rejects.toThrow(/refused the job: .*already exists$/);
    expect(asked()).toMatch(
      /^create .*\ndelete jobs.batch\/sample-sft --namespace=lab --ignore-not-found\n$/,
    );
  });

  test('stop deletes a job that runs, and leaves one that has ended', async () => {
    const { bin, folder, put, status, start, state } = cluster();
    const handle = await start();
    put('job', status([{ type: 'Complete', status: 'True' }]));
    await launcher.stop(handle, folder);
    expect(existsSync(join(bin, 'job'))).toBe(true);
    put('job', status([]));
    await launcher.stop(handle, folder);
    expect(existsSync(join(bin, 'job'))).toBe(false);
    expect(await state(handle)).toMatchObject({ kind: 'ended', exitCode: null });
  });

  test('a cluster that refuses to tell is the user’s matter, one that does not answer is asked again', async () => {
    const folder = cluster().folder;
    const handle: JobHandle = { kind: 'kubernetes', namespace: 'lab', name: 'sample-sft' };
    install({ kubectl: 'echo "Error from server (Forbidden): jobs is forbidden" >&2; exit 1' });
    await expect(kubernetes.state(handle, folder)).rejects.toThrow(/^kubectl get jobs.batch: .*Forbidden/);
    install({ kubectl: 'echo "The connection to the server was refused" >&2; exit 1' });
    await expect(kubernetes.state(handle, folder)).rejects.toThrow(SchedulerUnreachable);
  });
});

describe('Ray', () => {
  /** Serves one answer after the other, the last one for good. */
  async function server(answers: readonly (readonly [status: number, body: string])[]) {
    let at = 0;
    const http = createServer((_, response) => {
      const [status, body] = answers[Math.min(at++, answers.length - 1)]!;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void http.close());
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }
  const launcher = ray;
  const state = async (...answers: (readonly [number, string])[]) =>
    launcher.state({ kind: 'ray', address: await server(answers), submission_id: 'a b' }, '/');

  test('its states are read', async () => {
    const job = (value: object): [number, string] => [200, JSON.stringify(value)];
    expect(await state(job({ status: 'PENDING', message: 'waiting for GPUs' }))).toEqual({
      kind: 'queued',
      reason: 'waiting for GPUs',
    });
    expect(await state(job({ status: 'RUNNING' }))).toEqual({ kind: 'running' });
    expect(await state(job({ status: 'SUCCEEDED', driver_exit_code: 0 }))).toMatchObject({ exitCode: 0 });
    expect(await state(job({ status: 'STOPPED', driver_exit_code: null }))).toMatchObject({ exitCode: 143 });
    expect(await state(job({ status: 'FAILED', driver_exit_code: -9 }))).toMatchObject({ exitCode: 137 });
    expect(await state(job({ status: 'FAILED', message: 'no runtime_env' }))).toMatchObject({
      exitCode: null,
      message: 'Ray: no runtime_env',
    });
    expect(await state([404, 'Job does not exist'])).toMatchObject({ kind: 'ended', exitCode: null });
  });

  test('an answer of something else is named', async () => {
    await expect(state([200, '<html>'])).rejects.toThrow(/does not answer as Ray's job API does/);
    await expect(state([502, 'bad gateway'])).rejects.toThrow(SchedulerUnreachable);
  });

  test('submit.sh sends by hand what the launcher sends, and an address is never a command', () => {
    const folder = temporaryFolder();
    const address = 'http://127.0.0.1:8265/$(>pwned)`id`';
    const { file, rendered } = plannedJob({ launcher: 'ray', ray: { address: `${address}/` } });
    expect(rendered.start.env).toEqual({ RAY_API_SERVER_ADDRESS: address });
    writeFileSync(join(folder, 'submit.sh'), file('submit.sh'));
    install({ curl: `printf '%s\\n' "$PWD" "$@"` });
    const submit = (env = {}): string[] =>
      execFileSync('bash', [join(folder, 'submit.sh')], { env: { ...process.env, ...env }, encoding: 'utf8' })
        .trim()
        .split('\n');
    expect(submit()).toEqual(expect.arrayContaining([folder, '@ray-job.json', `${address}/api/jobs/`]));
    expect(submit({ RAY_API_SERVER_ADDRESS: 'http://other:1' })).toContain('http://other:1/api/jobs/');
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  test('what a cluster refuses is shown in its own words', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ray-job.json'), '{"entrypoint":"true"}');
    const address = await server([[500, 'Traceback...\nValueError: no such runtime']]);
    const env = { RAY_API_SERVER_ADDRESS: address };
    await expect(launcher.start(request(folder, ['bash', 'submit.sh'], env))).rejects.toThrow(
      /refused the job: 500 .*ValueError: no such runtime/,
    );
  });
});

describe('asking patiently', () => {
  function asking(failures: number) {
    let asked = 0;
    const scheduler: Scheduler = {
      intervalMs: 5_000,
      start: () => Promise.reject(new Error('not asked')),
      async state() {
        if (asked++ < failures) throw new SchedulerUnreachable('no answer');
        return { kind: 'running' };
      },
      cancel: () => Promise.resolve(),
      describe: () => 'the job',
    };
    const clock = idleClock();
    return { patient: schedulerControl(scheduler, clock), clock, asked: () => asked };
  }
  const handle: JobHandle = { kind: 'slurm', job_id: '1' };

  test('one answer does for the interval, and for one job', async () => {
    const { patient, clock, asked } = asking(0);
    for (let n = 0; n < 10; n++) await patient.state(handle, '/a');
    expect(asked()).toBe(1);
    await patient.state({ kind: 'slurm', job_id: '2' }, '/a');
    expect(asked()).toBe(2);
    await clock.sleep(5_000);
    await patient.state({ kind: 'slurm', job_id: '2' }, '/a');
    expect(asked()).toBe(3);
  });

  test('a job that is started again is asked after at once', async () => {
    const { patient, asked } = asking(0);
    await patient.state(handle, '/a');
    await patient.start(request('/a', ['sbatch'])).catch(() => undefined);
    await patient.state(handle, '/a');
    expect(asked()).toBe(2);
  });

  test('a scheduler that comes back within two minutes is waited for, and no longer', async () => {
    const short = asking(5);
    expect(await short.patient.state(handle, '/a')).toEqual({ kind: 'running' });
    expect(short.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
    const long = asking(99);
    await expect(long.patient.state(handle, '/a')).rejects.toThrow(/no answer; the job may still run/);
    expect(long.asked()).toBe(6);
  });
});
