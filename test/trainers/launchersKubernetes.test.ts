import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import {
  kubernetesManifest,
  readPodTemplate,
} from '../../training/launchers/kubernetes/kubernetesManifest.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { plannedJob } from '../training/support/plannedJob.ts';
import { pythonScript, sealedEnvironment, tryPython } from './support/runPython.ts';
import {
  createTrainingProject,
  jobFolder,
  type TrainingProject,
  trainArguments,
  trainerEnvironment,
} from './support/trainJob.ts';

const settings = { image: 'registry.example/trainer:1', namespace: 'lab' };

async function check(text: string): Promise<{ code: number | null; output: string }> {
  const folder = temporaryFolder();
  const file = path.join(folder, 'kubernetes.yaml');
  writeFileSync(file, text);
  return tryPython({ environment: 'trainers', args: [pythonScript('check_manifest.py'), file], folder });
}

describe('the schemas of the API versions', () => {
  const render = (nodes: number): string =>
    plannedJob({ launcher: 'kubernetes', nodes, kubernetes: settings }).file('kubernetes.yaml');

  test.each([1, 4])('take the Job and the Service for %i machines', async (nodes) => {
    const { code, output } = await check(render(nodes));
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toEqual(['v1 Service', 'batch/v1 Job']);
  });

  test('take the Job of workers', async () => {
    const size = { nodes: 3, gpus_per_node: 0, processes_per_node: 1 };
    const { kubernetes } = trainingConfigSchema.parse({ kubernetes: settings });
    const command = ['coa-distill', 'workers', 'join', 'postgres://coa@db.example/coa', '--once'];
    const names = { run: 'workers', job: '1', folder: '/work/workers', command };
    const { code, output } = await check(
      kubernetesManifest(size, kubernetes, await readPodTemplate(null), names),
    );
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toEqual(['v1 Service', 'batch/v1 Job']);
  });

  test('would refuse a field that does not exist', async () => {
    const document = parseAllDocuments(render(2)).at(-1)!.toJS();
    Object.assign(document.spec, { completion: 2 });
    const { code, output } = await check(stringify(document));
    expect(code).toBe(1);
    expect(output).toContain('completion');
  });
});

describe('the container', () => {
  const folder = sharedFolder();
  let project: TrainingProject;
  beforeAll(async () => {
    project = await createTrainingProject(folder, 4);
  });

  test('runs its command as it stands, and trains', async () => {
    const config = path.join(folder, 'kubernetes.yaml');
    const section = { training: { kubernetes: settings } };
    writeFileSync(config, `${readFileSync(path.join(folder, 'coa.yaml'), 'utf8')}${stringify(section)}`);
    const set = ['max_steps=1', 'save_only_model=true', 'disable_gradient_checkpointing=true'];
    const args = ['--launcher', 'kubernetes', '--config', config, '--render-only'];
    const rendered = await runCli(trainArguments(project, 'pod', { set, args }), {
      cwd: folder,
      env: trainerEnvironment(project, 'llamafactory'),
    });
    expect(rendered.code, rendered.stderr).toBe(0);
    const manifest = readFileSync(path.join(jobFolder(project, 'pod'), 'kubernetes.yaml'), 'utf8');
    const job = parseAllDocuments(manifest).at(-1)!.toJS();
    const [container] = job.spec.template.spec.containers as [
      { command: [string, ...string[]]; workingDir: string; env: { name: string; value: string }[] },
    ];
    const [program, ...rest] = container.command;
    const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    await promisify(execFile)(program, rest, {
      cwd: container.workingDir,
      env: { ...sealedEnvironment('/usr/bin', folder), ...env },
      maxBuffer: 16 * 1024 * 1024,
    });
    expect(existsSync(path.join(container.workingDir, 'output/model.safetensors'))).toBe(true);
    const printed = readFileSync(path.join(container.workingDir, 'console.log'), 'utf8');
    expect(printed).toContain('train metrics');
  });
});
