import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test, vi } from 'vitest';
import * as copiedPages from '../../viewer/copiedPages.ts';
import { exportCopy } from '../../viewer/exportCopy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { injectionTexts } from './support/injectionTexts.ts';
import { taskOf, trajectoryOf, writtenRun } from './support/writtenRun.ts';

/** A run of one kept and one dropped record for each text. */
function hostileRun(texts: readonly string[]): string {
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
  const run = writtenRun(join(temporaryFolder(), 'run'));
  for (const [at, text] of texts.entries()) {
    const id = `task_${at}`;
    run.emit('tasks', id, [{ ...taskOf(id, text), answers: [text] }]);
    run.emit('judge', id, [{ ...trajectoryOf(id, text, 'incorrect'), system: text, question: text }]);
    run.end('filter', { task_id: id, kind: 'drop', reason: 'wrong_answer', evidence: { [text]: text } });
  }
  return run.folder;
}

test('a copy is pages that hold nothing that acts or is fetched, and lead to one another alone', async () => {
  const texts = injectionTexts.filter((_, at) => at % 21 < 2);
  const folder = join(temporaryFolder(), 'copy');
  expect(await exportCopy({ name: hostileRun(texts), filter: '', folder, hasTokens: false })).toBe(
    texts.length,
  );
  const names = ['index.html', ...texts.map((_, at) => `records/${at + 1}.html`)];
  expect(readdirSync(folder).sort()).toEqual(['index.html', 'records']);
  for (const name of names) {
    const page = readFileSync(join(folder, name), 'utf8');
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    const { document } = parseHTML(page);
    expect(
      document.querySelectorAll('script, img, iframe, object, embed, form, base, link, svg').length,
    ).toBe(0);
    for (const { name: attribute, value } of [...document.querySelectorAll('*')].flatMap((node) => [
      ...node.attributes,
    ])) {
      expect(attribute).not.toMatch(/^(?:on|src|style|action)/);
      if (attribute === 'href') expect(existsSync(resolve(folder, dirname(name), value))).toBe(true);
    }
  }
  const { document } = parseHTML(readFileSync(join(folder, 'records/1.html'), 'utf8'));
  expect(document.querySelector('.segment.model pre')?.textContent).toContain(texts[0]);
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
    /no folder/,
  );
  await expect(
    exportCopy({ name, filter: 'q=third', folder: join(mine, 'x'), hasTokens: false }),
  ).rejects.toThrow(/nothing to copy/);
});

test('a copy that could not be finished leaves nothing that the next one meets', async () => {
  const name = hostileRun(['first', 'second']);
  const folder = join(temporaryFolder(), 'copy');
  vi.spyOn(copiedPages, 'copiedIndex').mockImplementationOnce(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  const options = { name, filter: '', folder, hasTokens: false };
  await expect(exportCopy(options)).rejects.toThrow('no space left');
  expect(readdirSync(dirname(folder))).toEqual([]);
  expect(await exportCopy(options)).toBe(2);
});
