import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test, vi } from 'vitest';
import { exportCopy, listRows } from '../../viewer/exportCopy.ts';
import * as exportPage from '../../viewer/exportPage.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { injectionTexts } from './support/injectionTexts.ts';
import { carried, renderedPage } from './support/renderedPage.ts';
import { newRun, taskOf, trajectoryOf } from './support/writtenRun.ts';

/** A run of one kept and one dropped record for each text. */
function hostileRun(texts: readonly string[]): string {
  const run = newRun();
  for (const [at, text] of texts.entries()) {
    const id = `task_${at}`;
    run.emit('tasks', id, [{ ...taskOf(id, text), answers: [text] }]);
    run.emit('judge', id, [{ ...trajectoryOf(id, text, 'incorrect'), system: text, question: text }]);
    run.end('filter', { task_id: id, kind: 'drop', reason: 'wrong_answer', evidence: { [text]: text } });
  }
  return run.folder;
}

test('a copy is pages that load nothing but their own program, and lead to one another alone', async () => {
  const texts = injectionTexts.filter((_, at) => at % 21 < 2);
  const folder = join(temporaryFolder(), 'copy');
  expect(await exportCopy({ name: hostileRun(texts), filter: '', folder, hasTokens: false })).toBe(
    texts.length,
  );
  const names = ['index.html', ...texts.map((_, at) => `records/${at + 1}.html`)];
  expect(readdirSync(folder).sort()).toEqual(['index.html', 'records', 'viewer.js']);
  for (const name of names) {
    const page = readFileSync(join(folder, name), 'utf8');
    expect(page).toContain(`default-src 'none'; script-src 'self' file:; style-src 'sha256-`);
    const { document } = parseHTML(page);
    const addresses = [...document.querySelectorAll('[src], [href]')].map(
      (node) => node.getAttribute('src') ?? node.getAttribute('href')!,
    );
    for (const address of [...addresses, ...Object.values(carried(page).files)])
      expect(address === 'data:,' || existsSync(resolve(folder, dirname(name), address)), address).toBe(true);
    expect(document.querySelectorAll('script').length).toBe(2);
    expect(document.querySelectorAll('body *').length).toBe(4);
  }
  const program = readFileSync(join(folder, 'viewer.js'), 'utf8');
  const first = await renderedPage(readFileSync(join(folder, 'records/1.html'), 'utf8'), { program });
  expect(first.texts('.segment.trained pre')[0]).toContain(texts[0]);
  expect(first.document.querySelectorAll('main :is(script, img, iframe, style, base)').length).toBe(0);
  const list = await renderedPage(readFileSync(join(folder, 'index.html'), 'utf8'), { program });
  expect(list.document.querySelectorAll('tbody a[href^="records/"]').length).toBe(texts.length);
});

test('the filter chooses, and a folder that holds something stays as it is', async () => {
  const name = hostileRun(['first', 'second']);
  const folder = temporaryFolder();
  expect(await exportCopy({ name, filter: 'q=second', folder, hasTokens: false })).toBe(1);
  expect(readdirSync(join(folder, 'records'))).toEqual(['1.html']);
  const mine = join(temporaryFolder(), 'mine');
  mkdirSync(mine);
  writeFileSync(join(mine, 'index.html'), 'mine');
  await expect(exportCopy({ name, filter: '', folder: mine, hasTokens: false })).rejects.toThrow(
    /holds something already/,
  );
  expect([readdirSync(mine), readFileSync(join(mine, 'index.html'), 'utf8')]).toEqual([
    ['index.html'],
    'mine',
  ]);
  const nowhere = join(mine, 'index.html');
  await expect(exportCopy({ name, filter: '', folder: nowhere, hasTokens: false })).rejects.toThrow(
    /not a folder/,
  );
  await expect(
    exportCopy({ name, filter: 'q=third', folder: join(mine, 'x'), hasTokens: false }),
  ).rejects.toThrow(/nothing to copy/);
});

test('a copy that could not be finished leaves nothing that the next one meets', async () => {
  const name = hostileRun(['first', 'second']);
  const folder = join(temporaryFolder(), 'copy');
  vi.spyOn(exportPage, 'pageOfMany').mockImplementationOnce(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  const options = { name, filter: '', folder, hasTokens: false };
  await expect(exportCopy(options)).rejects.toThrow('no space left');
  expect(readdirSync(dirname(folder))).toEqual([]);
  expect(await exportCopy(options)).toBe(2);
});

test.each([
  ['reson=wrong_answer', '"reason"'],
  ['reason=wrong_anser', '"wrong_answer"'],
  ['state=droped', '"dropped"'],
  ['tool=no_such_tool', 'tool=no_such_tool'],
  ['verdict:wrong', 'verdict=wrong'],
  ['task_0', 'q=task_0'],
  ['state=dropped&oops', 'q=oops'],
  ['tokens=many', 'range'],
  ['sort=-tokns', 'tokens'],
])('a filter with %s is refused, never read as one of all rows', async (filter, advice) => {
  const name = hostileRun(['first']);
  const folder = join(temporaryFolder(), 'copy');
  await expect(exportCopy({ name, filter, folder, hasTokens: false })).rejects.toThrow(advice);
  await expect(listRows(name, filter).next()).rejects.toThrow(advice);
  expect(existsSync(folder)).toBe(false);
});

test('a value that the run has no row of is no mistake where rows can have it', async () => {
  const rows = listRows(hostileRun(['first']), 'state=failed&reason=too_easy');
  expect(await rows.next()).toMatchObject({ done: true });
});
