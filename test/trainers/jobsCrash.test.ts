import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../base/systemClock.ts';
import type { AttemptEnd } from '../../schemas/training/jobRecord.ts';
import { processControl } from '../../training/launchers/processLaunchers.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { memoryLimit } from './support/memoryLimit.ts';
import {
  createTrainingProject,
  jobFolder,
  jobProcesses,
  jobRecord,
  startIn,
  type TrainingProject,
  trainArguments,
} from './support/trainJob.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const folder = sharedFolder();
const set = ['max_steps=4', 'save_steps=2', 'disable_gradient_checkpointing=true', 'plot_loss=false'];
let project: TrainingProject;

beforeAll(async () => {
  project = await createTrainingProject(folder, 4);
});

/** Starts a job that must fail, and tells how it ended. */
async function crash(
  job: string,
  options: Parameters<typeof startIn>[3] & {
    set?: readonly string[];
    model?: string;
    args?: readonly string[];
  },
): Promise<AttemptEnd & { readonly shown: string }> {
  const args = trainArguments(project, job, {
    set: [...set, ...(options.set ?? ['learning_rate=1e-3'])],
    args: options.args ?? [],
    ...(options.model !== undefined && { model: options.model }),
  });
  const { code, stdout, stderr } = await startIn(project, args, 'llamafactory', options).ended;
  expect(code, stderr).toBe(1);
  expect(jobProcesses(project, job)).toEqual([]);
  const end = jobRecord(project, job).attempts.at(-1)!.end!;
  expect(stdout).toContain(`(${end.cause})`);
  expect(stdout).toContain('what to do: ');
  return { ...end, shown: stderr + stdout };
}

test('a package that the trainer’s Python lacks', async () => {
  const blocked = path.join(folder, 'blocked');
  mkdirSync(blocked);
  writeFileSync(
    path.join(blocked, 'sitecustomize.py'),
    `import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "peft":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
`,
  );
  const end = await crash('package', { env: { PYTHONPATH: blocked } });
  expect(end).toMatchObject({ outcome: 'failed', exit_code: 1, cause: 'missing_package' });
  expect(end.last_words).toContain("No module named 'peft'");
});

test('a port that another program has', async () => {
  const server = createServer().listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const distributed = {
    RANK: '0',
    LOCAL_RANK: '0',
    WORLD_SIZE: '1',
    MASTER_ADDR: 'localhost',
    MASTER_PORT: `${port}`,
  };
  const end = await crash('port', { env: distributed });
  expect(end).toMatchObject({ outcome: 'failed', cause: 'port_in_use' });
  expect(end.last_words).toContain('EADDRINUSE');
});

test('a model whose weights don’t fit its configuration', async () => {
  const model = path.join(folder, 'unfit');
  await writeModelFolder(model);
  const config = execFileSync('sed', [
    's/"intermediate_size": 128/"intermediate_size": 256/',
    `${model}/config.json`,
  ]);
  writeFileSync(path.join(model, 'config.json'), config);
  expect(await crash('model', { model })).toMatchObject({ outcome: 'failed', cause: 'wrong_model' });
});

test('a loss that is no number, also told while it runs', async () => {
  const end = await crash('nan', { set: ['learning_rate=1e30'] });
  expect(end).toMatchObject({ outcome: 'failed', exit_code: 0, cause: 'nan_loss' });
  expect(end.shown).toMatch(/warning: the loss is NaN since step [23]/);
  const resumed = await startIn(project, ['train', 'resume', 't/nan']).ended;
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining('under another --job name') });
});

test('no memory, by the limit of a control group', async () => {
  const end = await crash('memory', { through: memoryLimit(700) });
  expect(end).toMatchObject({ outcome: 'failed', exit_code: 137, cause: 'host_out_of_memory' });
});

test('memory that a program of another control group lacks is not the cause of a killed job', async () => {
  const launcher = processControl(systemClock);
  const job = path.join(folder, 'beside');
  mkdirSync(job);
  const argv = ['bash', '-c', 'read -r _ < begun; kill -9 $$'];
  execFileSync('mkfifo', [path.join(job, 'begun')]);
  const handle = await launcher.start({ folder: job, argv, env: {}, consoleFile: 'console.log' });
  onTestFinished(() => launcher.stop(handle, job));
  const [program, ...rest] = [...memoryLimit(40), 'python3', '-c', 'len(bytearray(400 << 20))'];
  expect(spawnSync(program!, rest).signal).toBe('SIGKILL');
  writeFileSync(path.join(job, 'begun'), 'go\n');
  await expect
    .poll(() => launcher.state(handle, job), { timeout: 60_000 })
    .toEqual({ kind: 'ended', exitCode: 137, outOfMemory: false });
});

test('a full disk while saving; then a checkpoint that can’t be read; each is put aside, and it finishes', async () => {
  const output = path.join(jobFolder(project, 'disk'), 'output');
  mkdirSync(output, { recursive: true });
  // A checkpoint takes 130 MB: the second one does not fit.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', output]);
  onTestFinished(() => void execFileSync('umount', [output]));
  const full = await crash('disk', {});
  expect(full).toMatchObject({ outcome: 'failed', cause: 'disk_full' });

  execFileSync('mount', ['-o', 'remount,size=2g', output]);
  truncateSync(path.join(output, 'checkpoint-2/optimizer.pt'), 1_000);
  const broken = await startIn(project, ['train', 'resume', 't/disk']).ended;
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain('put aside: output/checkpoint-4 -> torn-checkpoint-4');
  expect(broken.stderr).toContain('goes on from the checkpoint of step 2');
  expect(broken.stdout).toContain('the checkpoint to go on from could not be read (broken_checkpoint)');

  const last = await startIn(project, ['train', 'resume', 't/disk']).ended;
  expect(last.code, last.stderr + last.stdout).toBe(0);
  expect(last.stderr).toContain('put aside: output/checkpoint-2 -> torn-checkpoint-2');
  expect(last.stderr).toContain('started again from the beginning');
  expect(readdirSync(output)).toEqual(
    expect.arrayContaining(['torn-checkpoint-2', 'torn-checkpoint-4', 'checkpoint-4']),
  );
});
