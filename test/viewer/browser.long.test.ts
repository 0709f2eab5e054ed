import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { writeWorkersFile } from '../../pipeline/workers/workersFile.ts';
import { appendReview } from '../../stages/review/reviewFile.ts';
import type { CountsAnswer, WindowAnswer } from '../../viewer/api.ts';
import { runCli, startCli } from '../cli/support/runCli.ts';
import { signalAt, untilStopped } from '../cli/support/signalAt.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { sampleWorkers } from '../support/sampleWorkers.ts';
import { injectionTexts } from './support/injectionTexts.ts';
import { keysOfPages } from './support/keysOfPages.ts';
import { findingsOf, STEP_MS, sharedViewer } from './support/openedViewer.ts';
import { PressedKeys } from './support/pressedKeys.ts';
import { quickstartArgs, writeEvaluation, writeJob, writeQuickstart } from './support/writtenResults.ts';
import { taskOf, trajectoryOf, writtenRun } from './support/writtenRun.ts';

const folder = sharedFolder();

const viewer = sharedViewer(folder, () => writeQuickstart(folder), [
  join(folder, 'runs/quickstart/dataset/trajectories.jsonl'),
]);

test('a page that is open follows a run while it works', async () => {
  // It stands still until the page is there.
  const run = startCli(quickstartArgs(folder, '--name', 'followed', '--limit', '20'), {
    cwd: folder,
    env: signalAt('SIGSTOP', /\/dedup\//),
  });
  const ended = once(run, 'exit');
  const page = await viewer.page();
  await untilStopped(run);
  await page.goto('/runs/followed');
  await page.locator('.funnel > li').first().waitFor();
  const before = await page.locator('.funnel').innerText();
  run.kill('SIGCONT');
  expect(await ended).toEqual([0, null]);
  // Nobody has loaded it again: it was told.
  await page.getByText(/^complete(, \d+ failed)?$/).waitFor();
  expect(await page.locator('.funnel').innerText()).not.toBe(before);
  expect(await page.locator('.funnel > li').count()).toBe(7);
  // The scripted teacher has no price.
  for (const label of [/^[\d,]+ requests over/, /^[\d,]+ tokens in all, at most/])
    expect(await page.getByRole('img', { name: label }).locator('rect').first().isVisible()).toBe(true);
});

test('pages that are open follow a run that is killed and resumed', async () => {
  const args = quickstartArgs(folder, '--name', 'killed', '--limit', '20');
  const killed = startCli(args, { cwd: folder, env: signalAt('SIGSTOP', /\/convert\//) });
  const ended = once(killed, 'exit');
  const [run, rows] = [await viewer.page(), await viewer.page()];
  await untilStopped(killed);
  await run.goto('/runs/killed');
  await run.locator('.funnel > li').first().waitFor();
  await rows.goto('/runs/killed/rows');
  await rows.getByRole('status').last().waitFor();
  killed.kill('SIGKILL');
  await ended;
  await run.getByText(/, stopped$/).waitFor();
  expect(await once(startCli(args, { cwd: folder }), 'exit')).toEqual([0, null]);
  await run.getByText(/^complete(, \d+ failed)?$/).waitFor();
  // Another viewer, which has seen nothing of the kill, says the same.
  const fresh = await runCli(['view', 'killed', '--rows', '', '--json'], { cwd: folder });
  const expected = fresh.stdout.trimEnd().split('\n');
  await vi.waitFor(
    async () => {
      const asked = await rows.request.get('/api/sources/killed/window?count=500');
      const followed = ((await asked.json()) as WindowAnswer).rows;
      expect(followed.map((row) => JSON.stringify(row))).toEqual(expected);
    },
    { timeout: STEP_MS },
  );
  expect(expected.filter((row) => row.includes('"state":"pending"'))).toEqual([]);
  await rows.getByText(`${expected.length} records`, { exact: true }).waitFor();
});

test('the page of a run follows its workers', async () => {
  const run = writtenRun(join(folder, 'runs/shared'));
  const release = await lockFolder(run.folder);
  const write = async (last_minute: number, open: boolean) => {
    const [rate] = sampleWorkers().rates;
    await writeWorkersFile(run.folder, sampleWorkers({ rates: [{ ...rate!, last_minute }], open }));
  };
  await write(140, true);
  const page = await viewer.page();
  await page.goto('/runs/shared');
  const row = page.getByRole('region', { name: 'Workers' }).getByRole('row', { name: /^node1:41/ });
  await row.getByText('working').waitFor();
  expect(await row.getByRole('cell').allInnerTexts()).toContain('38%');
  await page.getByText('140 in the last minute').waitFor();
  await page.getByText('Budget: workers spent $4.00 of $10.00').waitFor();
  // Nobody loads it again, and no record has changed.
  await write(141, true);
  await page.getByText('141 in the last minute').waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await write(141, false);
  await release();
  await row.getByText('left').waitFor();
});

test('the way from the runs to a token, by clicks', async () => {
  const page = await viewer.page();
  await page.goto('/');
  await page.getByRole('link', { name: 'quickstart' }).click();
  await page.getByRole('link', { name: /wrong answer 4/ }).click();
  await page.getByText('4 records').waitFor();
  expect(page.url()).toContain('reason=wrong_answer');
  await page.getByRole('checkbox', { name: 'math 1', exact: true }).check();
  await page.getByText('1 record of 99').waitFor();
  await page.locator('tbody a').first().click();
  await page.locator('.segment.trained').first().waitFor();
  await page.getByRole('button', { name: /^Event of segment 1,/ }).click();
  await page.locator('.events > li:focus').waitFor();
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.getByText('answer: incorrect').waitFor();
  await page.getByText('dropped: wrong answer').last().waitFor();
  await page.getByRole('tab', { name: 'Raw' }).click();
  await page.getByText('"wrong_answer"').first().waitFor();
  await page.getByRole('button', { name: 'Tokens' }).click();
  await page.locator('.token.trained').first().waitFor();
  await page.getByRole('combobox', { name: 'Shown as' }).selectOption({ label: 'the row of llama_factory' });
  await page
    .getByRole('region', { name: 'The row of llama_factory' })
    .getByText('conversations')
    .first()
    .waitFor();
});

test('a search, a range and the order stand in the address, and go with it', async () => {
  const page = await viewer.page();
  await page.goto('/runs/quickstart/rows?q=choir&tokens=1000-&sort=-tokens');
  await page.locator('tbody a').first().waitFor();
  const found = await page.getByRole('status').last().innerText();
  const line = page.getByRole('combobox', { name: /^Filter and search/ });
  expect(await line.inputValue()).toBe('choir tokens>=1000');
  await line.fill('no such words at all');
  await page.getByText('No record matches.').waitFor();
  await page.goBack();
  await page.getByText(found).waitFor();
  await page.getByRole('spinbutton', { name: 'Tokens at least', exact: true }).fill('100000');
  await page.keyboard.press('Tab');
  await page.getByText('No record matches.').waitFor();
  expect(page.url()).toContain('tokens=100000-');
});

test('two ticked runs are compared, and their records stand side by side', async () => {
  const page = await viewer.page();
  await page.goto('/');
  await page.getByRole('checkbox', { name: 'Compare quickstart' }).check();
  await page.getByRole('checkbox', { name: 'Compare followed' }).check();
  await page.getByRole('button', { name: 'Compare quickstart with followed' }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('button', { name: /^Left \d/, pressed: true }).waitFor();
  await page.locator('#a-segment-0').waitFor();
  await page.getByRole('region', { name: 'In followed' }).getByText('not there').waitFor();
  expect(await page.locator('button[aria-current=true]').innerText()).not.toMatch(/^task_/);
  expect(await findingsOf(page)).toEqual([]);
  await page.keyboard.press('j');
  await page.waitForURL(/at=1$/);
  await page.getByRole('button', { name: /^Other reason/ }).click();
  await page.waitForURL(/kind=other_reason/);
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
});

test('a dataset is checked when asked', async () => {
  const page = await viewer.page();
  await page.goto('/runs/quickstart/dataset');
  await page.getByRole('button', { name: 'Check the first rows' }).click();
  // Seconds of work, which a loaded machine makes many.
  await page.getByText('Nothing found.').waitFor({ timeout: 4 * STEP_MS });
  expect(await findingsOf(page)).toEqual([]);
});

test('an evaluation leads to its samples', async () => {
  const page = await viewer.page();
  await page.goto('/');
  await page.getByRole('link', { name: 'evaluation', exact: true }).click();
  await page.getByText('10.0 to 90.0').first().waitFor();
  await page.getByRole('button', { name: 'unscored' }).click();
  await page.locator('.samples a[href="/runs/evaluation%2Fmine/records/task_unscored"]').waitFor();
  await page.getByText('1 sample', { exact: true }).waitFor();
});

test('a reviewer judges a queue by keys, and the command that the page shows makes the dataset so', async () => {
  const reviewing = await viewer.open(['--review', '--author', 'ada']);
  const page = await reviewing.page();
  // What was said of a record comes after the record.
  await page.route('**/review/*', async (route) => {
    await delay(300);
    await route.continue();
  });
  await page.goto('/runs/followed');
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('spinbutton', { name: 'Sample of' }).fill('4');
  // The page is drawn again while somebody types.
  const followed = join(folder, 'runs/followed/dataset/trajectories.jsonl');
  const [first] = readFileSync(followed, 'utf8').split('\n');
  const { id, task_id } = JSON.parse(first!) as { id: string; task_id: string };
  await appendReview(join(folder, 'runs/followed'), {
    record_id: id,
    task_id,
    author: 'bob',
    at: '2026-11-23T10:00:00.000Z',
    verdict: 'accept',
  });
  // The record on the page may be the one that bob reviewed, and name bob too.
  await page.getByRole('term').filter({ hasText: 'bob' }).waitFor();
  await page.keyboard.press('Enter');
  const keys = new PressedKeys(page);
  const press = (key: string, sign: string): Promise<void> => keys.press(key, `text=${sign}`);
  const verdict = (word: string): string => `.verdict-panel [role=status]:has-text("ada: ${word}")`;
  await page.getByText('0 of 4 reviewed, now number 1').waitFor();
  await page.getByText('ada: no verdict').waitFor();
  await press('a', '1 of 4 reviewed, now number 2');
  await page.getByText('ada: no verdict').waitFor();
  await press('r', 'right, but not earned');
  await press('1', '2 of 4 reviewed, now number 3');
  await page.getByText('ada: no verdict').waitFor();
  await press('r', 'right, but not earned');
  await press('5', '3 of 4 reviewed, now number 4');
  await page.locator(verdict('no verdict')).waitFor();
  for (const [number, reason] of ['lucky answer', 'bad reasoning', 'bad tool use'].entries()) {
    await press('r', 'right, but not earned');
    await keys.press(String(number + 2), verdict(`rejected, ${reason}`));
  }
  await press('r', 'right, but not earned');
  await keys.press('6', verdict('rejected, unsafe'));
  await press('r', 'right, but not earned');
  await keys.press('7', verdict('rejected, other'));
  await keys.press('u', verdict('no verdict'));
  await keys.press('p', verdict('rejected, bad task'));
  await press('n', '3 of 4 reviewed, now number 4');
  await keys.press('p', verdict('rejected, bad task'));
  await keys.press('u', verdict('no verdict'));
  await keys.press('j', '#segment-0.chosen');
  await keys.press('j', '#segment-1.chosen');
  await keys.press('k', '#segment-0.chosen');
  await keys.press('c', '#review-note:focus');
  await keys.press('Escape', '#review-note:not(:focus)');
  await keys.expectAll();
  await page.keyboard.press('c');
  await page.keyboard.type('a note, read again');
  await page.keyboard.press('Escape');
  // It is written down although the page goes.
  await page.reload();
  await vi.waitFor(
    () => {
      const reviews = readFileSync(join(folder, 'runs/followed/reviews.jsonl'), 'utf8');
      expect(reviews).toContain('a note, read again');
    },
    { timeout: STEP_MS },
  );
  await page.reload();
  await page.getByText('2 of 4 reviewed, now number 3').waitFor();
  expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('a note, read again');
  await page.keyboard.press('r');
  expect(await findingsOf(page)).toEqual([]);
  const manifest = () =>
    JSON.parse(readFileSync(join(folder, 'runs/followed/dataset/manifest.json'), 'utf8'));
  const before = manifest() as { rows: number; formats: string[] };
  const command = (await page.locator('.note code').innerText()).split(' ');
  expect(command.slice(0, 2)).toEqual(['coa-distill', 'run']);
  const exported = startCli([...command.slice(1), '--quiet'], { cwd: folder });
  expect(await once(exported, 'exit')).toEqual([0, null]);
  expect(manifest().rows).toBe(before.rows - 1);
  await page.goto('/runs/followed/rows?review=rejected');
  await page.getByText(/^1 record of/).waitFor();
  expect(manifest().formats).toEqual(before.formats);
});

test('every key that the help of a page shows does what it says', async () => {
  const page = await viewer.page();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/runs/quickstart/rows?state=kept');
  await page.locator('tbody a').first().waitFor();
  const asked = await page.request.get('/api/sources/quickstart/window?state=kept&count=3');
  const { rows } = (await asked.json()) as WindowAnswer;
  const named = (text: string): string => text.replace(/KEY(\d)/, (_, at) => rows[Number(at)]!.key);
  const keys = new PressedKeys(page);
  for (const { path, sign, clicked = [], steps, copied } of keysOfPages) {
    const open = async (): Promise<void> => {
      await page.goto(named(path));
      await page.locator(sign).first().waitFor();
    };
    await open();
    for (const selector of clicked) await page.locator(selector).click();
    const { pathname } = new URL(page.url());
    for (const [key, brings] of steps) {
      await keys.press(key, named(brings));
      if (key === 'y' && copied)
        expect(await page.evaluate('navigator.clipboard.readText()')).toBe(named(copied));
      if (new URL(page.url()).pathname !== pathname) await open();
    }
    await keys.expectAll();
  }
  const source = readFileSync(new URL('../../viewer/pages/main.tsx', import.meta.url), 'utf8');
  for (const [, route] of source.matchAll(/path="([^"]+)"/g)) {
    const pattern = new RegExp(`^${route!.replaceAll(/:\w+/g, '[^/?]+')}(?:\\?|$)`);
    expect(keysOfPages.filter(({ path }) => pattern.test(path)).length, route).toBeGreaterThan(0);
  }
});

/** Copies records of a run with their tokens, and opens the list in Chromium from the disk. */
async function openCopy(run: string, rows: string, faults: string[]): Promise<Page> {
  const copy = join(folder, `copy of ${run}`);
  const args = ['view', run, '--rows', rows, '--export', copy, '--tokens'];
  expect(await once(startCli(args, { cwd: folder }), 'exit')).toEqual([0, null]);
  return openFile(join(copy, 'index.html'), faults);
}

/** Opens an exported page from the disk; whatever it does but reading files beside it lands in `faults`. */
async function openFile(path: string, faults: string[]): Promise<Page> {
  const page = await viewer.browser.newPage();
  page.setDefaultTimeout(STEP_MS);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(pathToFileURL(dirname(path)).href))
      faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  return page;
}

test('a copy opens from the disk, with the tokens of its records', async () => {
  const faults: string[] = [];
  const page = await openCopy('quickstart', 'tokens=0-560', faults);
  expect(await page.locator('tbody a').count()).toBe(4);
  expect(await findingsOf(page)).toEqual([]);
  await page.locator('tbody a').first().click();
  await page.locator('.segment.trained').first().waitFor();
  expect(await findingsOf(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Time and cost' }).click();
  await page.keyboard.press('t');
  await page.locator('.token.trained').first().waitFor();
  expect(await findingsOf(page)).toEqual([]);
  const shown = await page.locator('.tokens li').count();
  expect(await page.locator('.note').first().innerText()).toMatch(new RegExp(`^${shown} tokens by qwen2.5`));
  const address = page.url();
  await page.keyboard.press('n');
  await page.waitForURL((url) => url.href !== address);
  await page.locator('.segment').first().waitFor();
  await page.keyboard.press('u');
  await page.locator('tbody a').first().waitFor();
  expect(faults).toEqual([]);
  await page.close();
});

test('the report opens from the disk: all of the run in one file, which leads nowhere', async () => {
  const faults: string[] = [];
  const page = await openFile(join(folder, 'runs/quickstart/report.html'), faults);
  await page.getByRole('heading', { name: 'Cost' }).waitFor();
  expect(await page.locator('main a[href]').count()).toBe(0);
  await page.getByText('filter: wrong answer').click();
  await page.locator('.trajectory').nth(1).click();
  await page.locator('details:has(> .trajectory)').nth(1).locator('.segment.trained').first().waitFor();
  expect(await findingsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.close();
});

test('a theme is chosen and kept, whatever the system says', async () => {
  const page = await viewer.page();
  const [light, dark] = ['rgb(255, 255, 255)', 'rgb(18, 23, 29)'];
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/');
  await page.getByRole('button', { name: 'Theme: as' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
  expect(await paper()).toBe(light);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await page.goto('/runs/quickstart');
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  expect(await paper()).toBe(dark);
  await page.getByRole('button', { name: 'Theme: dark' }).click();
  await page.getByRole('button', { name: 'Theme: as' }).waitFor();
  expect(await paper()).toBe(light);
});

test('hostile texts in every field stay texts', async () => {
  const hostile = writtenRun(join(folder, 'runs/hostile'));
  for (const [at, text] of injectionTexts.entries()) {
    const id = `task_${at}`;
    const trajectory = trajectoryOf(id, text, 'incorrect');
    const [first, second] = trajectory.segments;
    const evil = {
      ...trajectory,
      system: text,
      user: text,
      question: text,
      answers: [text],
      segments: [
        { ...first!, tag: text },
        { ...second!, text: at === 0 ? `${text}${'x'.repeat(10_000_000)}` : text },
      ],
      quality: {
        ...trajectory.quality,
        verdicts: trajectory.quality.verdicts.map((verdict) => ({
          ...verdict,
          judge: text,
          evidence: { [text]: text },
        })),
      },
    };
    hostile.emit('tasks', id, [
      { ...taskOf(id, text), profile: text, answers: [text], source: { file: text, row: 1 } },
    ]);
    for (const stage of ['convert', 'judge'] as const) hostile.emit(stage, id, [evil]);
    if (at % 2 === 0)
      hostile.end('filter', { task_id: id, kind: 'drop', reason: text, evidence: { [text]: text } });
  }
  // One act of each kind, out of an attribute.
  const acts = injectionTexts.filter((_, at) => at % 21 === 1).join('\n');
  writeJob(join(folder, 'runs/hostile'), acts);
  writeEvaluation(join(folder, 'runs/hostile-evaluation'), acts);
  const odd = '"><img src=x onerror="globalThis.hacked = 1"> \u202e';
  writtenRun(join(folder, 'runs', odd));
  await appendReview(hostile.folder, {
    record_id: 'trajectory_of_task_0_0',
    task_id: 'task_0',
    author: '<img src=x onerror="globalThis.hacked = 1">',
    at: '2026-11-22T10:00:00.000Z',
    verdict: 'reject',
    reason: 'other',
    note: acts,
  });
  mkdirSync(join(hostile.folder, 'dataset'));
  writeFileSync(join(hostile.folder, 'dataset/README.md'), acts);
  const failure = { cause: acts, message: acts, retryable: true, evidence: { [acts]: acts } };
  hostile.emit('tasks', 'failed', [taskOf('failed', acts)]);
  hostile.end('rollout', { task_id: 'failed', kind: 'fail', failure });
  const page = await viewer.page();
  const visit = async (path: string, sign: string): Promise<void> => {
    await page.goto(path);
    await page.locator(sign).first().waitFor();
  };
  const expectInert = async (): Promise<void> => {
    const inside = await page.evaluate(
      "document.querySelectorAll('main :is(script, img, iframe, object, link, style, meta, base, video, math, template)').length",
    );
    expect(inside).toBe(0);
  };
  expect(injectionTexts.length).toBeGreaterThan(562);
  await visit('/runs/hostile/rows', 'tbody a');
  await page.getByText(`${injectionTexts.length + 1} records`).waitFor();
  // The rows are there before all that is known of them.
  await vi.waitFor(
    async () => {
      const counts = await page.request.get('/api/sources/hostile/counts');
      expect(((await counts.json()) as CountsAnswer).progress.isGrowing).toBe(false);
    },
    { timeout: STEP_MS },
  );
  for (const [path, sign] of [
    ['/', 'table'],
    [`/runs/${encodeURIComponent(odd)}`, '.funnel'],
    [`/runs/${encodeURIComponent(odd)}/rows`, '.toolbar'],
    ['/runs/hostile', '.funnel'],
    ['/runs/hostile', '.failures'],
    ['/runs/hostile/records/failed', '.summary'],
    ['/runs/hostile/dataset', 'a[href$="/training/sft"]'],
    ['/runs/hostile/rows?review=rejected', 'tbody a'],
    ['/runs/hostile/rows?sort=-row', 'tbody a'],
    ['/runs/hostile/rows?q=script', 'tbody a'],
    ['/runs/hostile/review?state=dropped', '.segment'],
    ['/runs/hostile/training/sft', 'pre'],
    ['/compare?a=hostile&b=quickstart', '.changes'],
    ['/evaluations/hostile-evaluation', '.samples a'],
  ] as const) {
    await visit(path, sign);
    await expectInert();
  }
  for (let at = 0; at < injectionTexts.length; at += 29) {
    await visit(`/runs/hostile/records/task_${at}`, '.segment');
    await page.keyboard.press('o');
    for (const tab of ['Why', 'Conversation', 'Time and cost', 'Raw'])
      await page.getByRole('tab', { name: tab }).click();
    await expectInert();
  }
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  const copied = await openCopy('hostile', 'q=onpageshow', viewer.faults);
  await copied.locator('tbody a').first().click();
  await copied.locator('.segment').first().waitFor();
  expect(await copied.evaluate('globalThis.hacked')).toBeUndefined();
  expect(await copied.locator('main :is(script, img, iframe, style, meta)').count()).toBe(0);
  expect((await runCli(['view', 'hostile', '--export'], { cwd: folder })).code).toBe(0);
  const report = await openFile(join(hostile.folder, 'report.html'), viewer.faults);
  await report
    .getByText(/^filter: /)
    .first()
    .click();
  expect(await report.evaluate('globalThis.hacked')).toBeUndefined();
  expect(await report.locator('main :is(script, img, iframe, style, meta)').count()).toBe(0);
  expect(new URL(page.url()).origin).toBe(viewer.base);
});

test('a page of another origin neither frames nor asks the viewer', async () => {
  const page = await viewer.page();
  await page.route('http://evil.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${viewer.base}/"></iframe><img src="${viewer.base}/api/sources" onload="globalThis.read = 1">`,
    }),
  );
  await page.goto('http://evil.example/');
  const asked = await page.evaluate(
    (base) =>
      fetch(`${base}/api/sources`, { credentials: 'include' }).then(
        () => 'answered',
        () => 'refused',
      ),
    viewer.base,
  );
  expect(asked).toBe('refused');
  const frame = page.frames().find((other) => other !== page.mainFrame());
  expect(await frame?.locator('main').count()).toBe(0);
  viewer.faults.length = 0;
  const stranger = await viewer.browser.newPage();
  expect((await stranger.goto(viewer.base))?.status()).toBe(403);
  await stranger.close();
});

test('a file of rows without a run is shown with its trajectories', async () => {
  const page = await viewer.page();
  await page.goto('/files/trajectories.jsonl/rows');
  await page.getByText('70 records').waitFor();
  await page.locator('tbody a').first().click();
  await page.locator('.segment.trained').first().waitFor();
});
