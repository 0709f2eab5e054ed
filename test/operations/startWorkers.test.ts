import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startWorkers } from '../../operations/startWorkers.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { stillClock } from '../teachers/support/clocks.ts';

afterEach(() => vi.unstubAllEnvs());

test('workers of Kubernetes are one indexed Job, which outlives pods that a task costs', async () => {
  const bin = temporaryFolder();
  const asked = join(bin, 'asked');
  writeFileSync(join(bin, 'kubectl'), `#!/bin/bash\necho "$*" >> ${asked}\n`);
  chmodSync(join(bin, 'kubectl'), 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  const folder = join(temporaryFolder(), 'workers');
  const kubernetes = { image: 'registry.example/coa:1', namespace: 'lab' };
  await startWorkers({
    database: 'postgres://coa@db.example/coa',
    launcher: 'kubernetes',
    count: 20,
    training: trainingConfigSchema.parse({ kubernetes }),
    folder,
    clock: stillClock(),
  });
  expect(readFileSync(asked, 'utf8')).toContain('create -f kubernetes.yaml');
  const [service, job] = parseAllDocuments(readFileSync(join(folder, '1/kubernetes.yaml'), 'utf8')).map(
    (one) => one.toJS(),
  );
  expect(service.kind).toBe('Service');
  expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace: 'lab' } });
  // A task that ends its workers is set aside after six of them: no pod's end may end the others.
  expect(job.spec).toMatchObject({
    completionMode: 'Indexed',
    completions: 20,
    parallelism: 20,
    backoffLimit: 200,
  });
  const [container] = job.spec.template.spec.containers;
  expect(container.command).toEqual([
    'coa-distill',
    'workers',
    'join',
    'postgres://coa@db.example/coa',
    '--once',
  ]);
});
