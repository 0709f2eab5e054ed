import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { shellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { hydraOverride } from '../../output/quoting/hydraOverride.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { launcherNames, trainerNames } from '../../schemas/training/jobNames.ts';
import {
  kubernetesManifest,
  readPodTemplate,
} from '../../training/launchers/kubernetes/kubernetesManifest.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { hostileText } from './support/hostileText.ts';
import { installPrograms } from './support/installPrograms.ts';
import { plannedJob } from './support/plannedJob.ts';

const kubernetes = { image: 'registry.example/trainer:1' };

describe.each(trainerNames)('%s', (trainer) => {
  test.each(launcherNames)(
    'on %s: scripts that bash can read, and a start command whose files are there',
    (launcher) => {
      const nodes = launcher === 'local' ? 1 : 2;
      const { rendered } = plannedJob({ trainer, launcher, nodes, kubernetes });
      for (const { path, text } of rendered.files)
        if (/\.(sh|sbatch)$/.test(path)) execFileSync('bash', ['-n'], { input: text });
      const [program, ...args] = rendered.start.argv;
      expect(['bash', 'sbatch', 'kubectl']).toContain(program);
      const started = args.filter((arg) => arg.includes('.'));
      for (const name of started) expect(rendered.files.map(({ path }) => path)).toContain(name);
      expect(started).not.toEqual([]);
    },
  );
});

test('equal plans give equal bytes', () => {
  const section = { launcher: 'kubernetes', kubernetes, nodes: 2 } as const;
  expect(plannedJob(section).rendered).toEqual(plannedJob(section).rendered);
});

test('TRL’s DPO has its own program, and a note where the rate is one of fine-tuning', () => {
  const { plan, file, rendered } = plannedJob({ trainer: 'trl-dpo', set: { loss_type: 'ipo' } });
  expect(parse(file('dpo.yaml'))).toEqual(plan.hyper_parameters);
  expect(plan.hyper_parameters).toMatchObject({ beta: 0.1, max_length: null, loss_type: 'ipo' });
  expect(rendered.files.map(({ path }) => path)).toContain('dpo_job.py');
  expect(plan.notes.join('\n')).toMatch(/learning_rate .* is one of fine-tuning; DPO usually takes/);
  expect(() => plannedJob({ trainer: 'trl-dpo', set: { max_length: 9 } })).toThrow(/max_length/);
});

test('LLaMA-Factory’s configuration is the plan’s keys', () => {
  const { plan, file } = plannedJob();
  expect(parse(file('train.yaml'), { version: '1.1' })).toEqual(plan.hyper_parameters);
  expect(JSON.parse(file('deepspeed-zero3.json')).zero_optimization.stage).toBe(3);
});

test('without GPUs there is neither DeepSpeed nor torchrun', () => {
  const { file, rendered, plan } = plannedJob({ gpus_per_node: 0 });
  expect(plan.hyper_parameters).toMatchObject({ use_cpu: true, bf16: false });
  expect(rendered.files.map(({ path }) => path)).not.toContain('deepspeed-zero3.json');
  expect(file('run.sh')).not.toContain('torch.distributed.run');
  expect(plannedJob({ gpus_per_node: 0, processes_per_node: 2 }).file('run.sh')).toContain(
    '--nproc-per-node=2',
  );
});

describe('hostile values', () => {
  test('come back from YAML, of version 1.1 and 1.2', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (model, name) => {
        const text = plannedJob({ model, set: { run_name: name } }).file('train.yaml');
        for (const version of ['1.1', '1.2'] as const) {
          expect(parse(text, { version })).toMatchObject({ model_name_or_path: model, run_name: name });
        }
      }),
    );
  });

  test('come back from bash', () => {
    const folder = temporaryFolder();
    const texts = fc.sample(hostileText, 300);
    const script = `printf '%s\\0' ${texts.map(shellWord).join(' ')}`;
    const came = execFileSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
    expect(came.split('\0').slice(0, -1)).toEqual(texts);
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  test('come through run.sh to the program, whatever its own and the folder’s names are', () => {
    const folder = join(temporaryFolder(), `it's $(touch pwned) "x"`);
    mkdirSync(folder);
    const name = `py 'thon' $HOME`;
    const python = join(installPrograms({ [name]: `printf '%s\\0' "$@" > "$OUTPUT"` }, folder), name);
    for (const model of fc.sample(hostileText, 20)) {
      const { plan, file } = plannedJob({ trainer: 'verl', model, python });
      writeFileSync(join(folder, 'run.sh'), file('run.sh'));
      const OUTPUT = join(folder, 'arguments');
      execFileSync('bash', [join(folder, 'run.sh')], { cwd: '/', env: { PATH: process.env.PATH, OUTPUT } });
      const args = readFileSync(OUTPUT, 'utf8').split('\0');
      for (const [key, value] of Object.entries(plan.hyper_parameters)) {
        expect(args).toContain(hydraOverride(key, value));
      }
      expect(args.slice(0, 6)).toEqual([
        '-m',
        'torch.distributed.run',
        '--standalone',
        '--nnodes=1',
        '--nproc-per-node=8',
        '-m',
      ]);
    }
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  test('lines are refused where they are given', () => {
    expect(() => plannedJob({ model: 'a\nb' })).toThrow(/one line of text/);
    expect(() => plannedJob({ python: 'a\u0000' })).toThrow(/one line of text/);
    expect(() => plannedJob({ slurm: { partition: 'gpu\n#SBATCH --wrap=x' } })).toThrow();
    expect(() => plannedJob({ slurm: { extra: ['--wrap=touch pwned'] } })).toThrow(/an option such as/);
    expect(() => shellWord('a\nb')).toThrow(/one line/);
    expect(() => hydraOverride('a', { 'b c': 1 })).toThrow(/plain names/);
  });
});

describe('Slurm', () => {
  test('every setting is a line of the script, and the GPUs’ line can be left out', () => {
    const slurm = {
      partition: 'gpu',
      account: 'lab',
      time: '1-12:00:00',
      gres: 'gpu:a100',
      extra: ['--constraint=a100&nvlink', '--mem=512G', '--exclusive'],
    };
    const { file, rendered } = plannedJob({ launcher: 'slurm', nodes: 2, slurm });
    const lines = file('job.sbatch')
      .split('\n')
      .filter((line) => line.startsWith('#SBATCH '));
    expect(lines.map((line) => line.slice('#SBATCH '.length))).toEqual([
      '--job-name=sample-sft',
      '--nodes=2',
      '--ntasks-per-node=1',
      '--gres=gpu:a100:8',
      '--partition=gpu',
      '--account=lab',
      '--time=1-12:00:00',
      '--constraint=a100&nvlink',
      '--mem=512G',
      '--exclusive',
      '--output=console.log',
      '--open-mode=append',
      '--requeue',
    ]);
    expect(rendered.follow.console_file).toBe('console.log');
    const without = plannedJob({ launcher: 'slurm', slurm: { gres: null } }).file('job.sbatch');
    expect(without).not.toContain('--gres');
    expect(without).not.toContain('RDZV_ENDPOINT');
  });

  test.each(
    '--array=0-3 --arr=0-3 --chdir=/x --wrap=x --nodes=9 --ntasks=2 --ntasks-per-gpu=1 --requeue --no-requeue --error=x --output=x --open-mode=truncate'.split(
      ' ',
    ),
  )('an option that would make another job of it is refused: %s', (option) => {
    expect(() => plannedJob({ launcher: 'slurm', slurm: { extra: [option] } })).toThrow(/the plan sets it/);
  });

  test('the first of very many machines is where they meet', () => {
    const folder = installPrograms({ scontrol: 'seq -f node%g 100000', srun: 'echo "$RDZV_ENDPOINT"' });
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      SLURM_SUBMIT_DIR: folder,
      SLURM_JOB_NODELIST: 'node[1-100000]',
      SLURM_JOB_ID: '7',
    };
    const input = plannedJob({ launcher: 'slurm', nodes: 2 }).file('job.sbatch');
    expect(execFileSync('bash', { input, env, encoding: 'utf8', stdio: 'pipe' })).toBe('node1:20007\n');
  });
});

describe('Ray', () => {
  test('the job’s entry point starts run.sh in its folder, by the shell that Ray uses', () => {
    const folder = join(temporaryFolder(), `a $(touch pwned) 'b'`);
    mkdirSync(folder);
    const { file } = plannedJob({ launcher: 'ray' }, { jobFolder: folder });
    const { entrypoint, entrypoint_num_gpus } = JSON.parse(file('ray-job.json'));
    expect(entrypoint_num_gpus).toBe(8);
    writeFileSync(join(folder, 'run.sh'), 'pwd; echo "$CONSOLE_FILE"\n');
    const printed = execFileSync('/bin/bash', ['-c', entrypoint], { encoding: 'utf8' });
    expect(printed).toBe(`${folder}\nconsole.log\n`);
    expect(existsSync('pwned')).toBe(false);
  });

  test('several machines are started by a program that Python can read', () => {
    const { file } = plannedJob({ launcher: 'ray', nodes: 3 });
    execFileSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: file('ray-machines.py'),
    });
    expect(JSON.parse(file('ray-job.json'))).not.toHaveProperty('entrypoint_num_gpus');
  });
});

describe('Kubernetes', () => {
  const settings = { ...kubernetes, namespace: 'lab' };

  test('an indexed Job whose pods meet at the first by a headless Service', () => {
    const text = plannedJob({ launcher: 'kubernetes', nodes: 2, kubernetes: settings }).file(
      'kubernetes.yaml',
    );
    const [service, job] = parseAllDocuments(text).map((document) => document.toJS());
    expect(service).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'sample-sft', namespace: 'lab' },
      spec: { clusterIP: 'None', selector: { 'job-name': 'sample-sft' } },
    });
    const pod = job.spec.template.spec;
    expect(job).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: { completionMode: 'Indexed', completions: 2, parallelism: 2 },
    });
    expect(pod).toMatchObject({
      subdomain: 'sample-sft',
      restartPolicy: 'Never',
      volumes: [{ emptyDir: { medium: 'Memory' } }],
    });
    expect(pod.containers[0]).toMatchObject({
      workingDir: '/data/runs/sample/train/sft',
      command: ['bash', 'run.sh'],
      env: [
        { name: 'RDZV_ENDPOINT', value: 'sample-sft-0.sample-sft:29500' },
        { name: 'CONSOLE_FILE', value: 'console.log' },
      ],
      resources: { limits: { 'nvidia.com/gpu': '8' } },
    });
  });

  test('the user’s pod template keeps what the job does not set', async () => {
    const file = join(temporaryFolder(), 'pod.yaml');
    writeFileSync(
      file,
      `spec:
  nodeSelector: { pool: training }
  containers:
    - name: mine
      image: ignored
      env: [{ name: WANDB_API_KEY, valueFrom: { secretKeyRef: { name: trackers, key: wandb } } }]
      resources: { limits: { memory: 512Gi, amd.com/gpu: 1 }, requests: { cpu: 8 } }
      volumeMounts: [{ name: runs, mountPath: /data }]
    - { name: sidecar, image: proxy }
  volumes: [{ name: runs, persistentVolumeClaim: { claimName: runs } }]
`,
    );
    const template = await readPodTemplate(file);
    const names = { run: 'sample', job: 'sft', folder: '/data/runs/sample/train/sft' };
    const size = { nodes: 1, gpus_per_node: 4, processes_per_node: 4 };
    const text = kubernetesManifest(
      size,
      trainingConfigSchema.parse({ kubernetes: settings }).kubernetes,
      template,
      names,
    );
    const { spec } = parseAllDocuments(text)[1]!.toJS().spec.template;
    expect(spec).toMatchObject({
      nodeSelector: { pool: 'training' },
      restartPolicy: 'Never',
      volumes: [{ persistentVolumeClaim: { claimName: 'runs' } }],
    });
    expect(spec.containers).toEqual([
      {
        name: 'mine',
        image: 'registry.example/trainer:1',
        workingDir: '/data/runs/sample/train/sft',
        command: ['bash', 'run.sh'],
        env: [
          { name: 'CONSOLE_FILE', value: 'console.log' },
          { name: 'WANDB_API_KEY', valueFrom: { secretKeyRef: { name: 'trackers', key: 'wandb' } } },
        ],
        resources: { limits: { memory: '512Gi', 'amd.com/gpu': '4' }, requests: { cpu: 8 } },
        volumeMounts: [{ name: 'runs', mountPath: '/data' }],
      },
      { name: 'sidecar', image: 'proxy' },
    ]);
  });

  test.each(['spec: { containers: [] }', 'kind: Pod', '- a', '{'])('%s is no pod template', async (text) => {
    const file = join(temporaryFolder(), 'pod.yaml');
    writeFileSync(file, text);
    await expect(readPodTemplate(file)).rejects.toThrow(
      /^training\.kubernetes\.pod_template: .*pod\.yaml: expected/,
    );
    await expect(readPodTemplate(`${file}.none`)).rejects.toThrow(UserError);
  });

  test('names that Kubernetes would not take are made so, and stay apart', () => {
    const nameOf = (run: string) =>
      parse(
        plannedJob({ launcher: 'kubernetes', kubernetes }, { run })
          .file('kubernetes.yaml')
          .split('---\n')[0]!,
      ).metadata.name as string;
    const names = ['A.b', 'a.b', 'a-b', '7b', '.', `${'x'.repeat(98)}1`, `${'x'.repeat(98)}2`].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]([a-z0-9-]{0,49}[a-z0-9])?$/);
  });
});
