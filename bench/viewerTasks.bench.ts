import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';

// What people open the viewer for, in clicks, keys and seconds, from the page of a run on, in Chromium.
// node bench/viewerTasks.bench.ts --run four [--profile web]

const { values } = parseArgs({
  options: { run: { type: 'string' }, profile: { type: 'string', default: 'web' } },
});
const launcher = fileURLToPath(new URL('../bin/coa-distill.js', import.meta.url));

/** Counts what a person does. A word that is typed is as many keys as it has letters. */
class Person {
  clicks = 0;
  keys = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(selector: string): Promise<void> {
    this.clicks++;
    await this.page.locator(selector).first().click();
  }

  async press(key: string): Promise<void> {
    this.keys++;
    await this.page.keyboard.press(key);
  }

  async see(selector: string): Promise<void> {
    await this.page.locator(selector).first().waitFor();
  }
}

/** Each begins where the one before ended. */
const tasks: readonly (readonly [name: string, way: (person: Person) => Promise<void>])[] = [
  [
    'find the wrong answers of one profile',
    async (person) => {
      await person.click('a:text-is("Records")');
      await person.click('fieldset:has(legend:text-is("Verdict")) label:has-text("wrong") input');
      const profile = `fieldset:has(legend:text-is("Profile")) label:has-text("${values.profile}") input`;
      // Where all wrong ones are of it there is nothing to choose.
      if ((await person.page.locator(profile).count()) > 0) await person.click(profile);
      await person.see('tbody tr td.column-verdict:has-text("wrong")');
    },
  ],
  [
    'read why one failed',
    async (person) => {
      await person.press('Enter');
      await person.see('.verdict.incorrect');
    },
  ],
  [
    'compare two rollouts of its task',
    async (person) => {
      await person.click('#tab-compare');
      await person.see('.diff, .story .empty');
    },
  ],
  [
    'find what it cost and where its time went',
    async (person) => {
      await person.click('#tab-time');
      await person.see('.when');
    },
  ],
  [
    'see which of its tokens are trained',
    async (person) => {
      await person.press('t');
      await person.see('.token');
    },
  ],
];

const server = spawn(process.execPath, [launcher, 'view', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: process.env.COA_CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  const { address } = JSON.parse(String(value)) as { address: string };
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
  await page.goto(address);
  await page.goto(`${new URL(address).origin}/runs/${values.run}`);
  await page.locator('.funnel').waitFor();
  for (const [name, way] of tasks) {
    const person = new Person(page);
    const from = performance.now();
    await way(person);
    const ms = Math.round(performance.now() - from);
    console.log(JSON.stringify({ task: name, clicks: person.clicks, keys: person.keys, ms }));
  }
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await once(server, 'exit');
}
