import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { askViewer } from './support/askViewer.ts';
import { newRun, taskOf } from './support/writtenRun.ts';

test.each([
  ['/api/sources/mine/window', true],
  ['/api/sources/mine/window?count=1', false],
  ['/runs/mine', true],
])('%s is compressed for who takes it (%s), and says the same', async (path, isCompressed) => {
  const run = newRun('mine');
  for (let at = 0; at < 20; at++) run.emit('tasks', `t${at}`, [taskOf(`t${at}`, 'Where is the bridge?')]);
  const { ask, enter } = await askViewer(run.folder);
  const cookie = (await enter()).split(';')[0]!;
  // The last record is waited for, however long the first look takes.
  await ask('/api/sources/mine/records/t19', { cookie });
  const [plain, compressed] = [
    await ask(path, { cookie }),
    await ask(path, { cookie, 'accept-encoding': 'gzip' }),
  ];
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(compressed.headers.get('content-encoding')).toBe(isCompressed ? 'gzip' : null);
  expect(compressed.headers.get('content-type')).toBe(plain.headers.get('content-type'));
  const bytes = Buffer.from(await compressed.arrayBuffer());
  expect((isCompressed ? gunzipSync(bytes) : bytes).toString()).toBe(await plain.text());
});
