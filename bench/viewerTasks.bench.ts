import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';

// What people open a viewer for, in clicks, keys and seconds, in Chromium: from the page of a run and of an evaluation on,
// beside the page of a log of that evaluation in Inspect View. The log has the profile and the events of each sample:
//   .venv-inspect/bin/python bench/python/inspect_log.py runs/EVALUATION logs/all.eval
//   .venv-inspect/bin/inspect view --log-dir logs --port 7575
// node bench/viewerTasks.bench.ts --run four --evaluation four-evaluation --profile web
//   --inspect 'http://127.0.0.1:7575/#/tasks/all.eval'

const { values } = parseArgs({
  options: {
    run: { type: 'string', default: 'four' },
    evaluation: { type: 'string', default: 'evaluation' },
    profile: { type: 'string', default: 'web' },
    inspect: { type: 'string' },
  },
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

  async type(text: string): Promise<void> {
    this.keys += text.length;
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.keys++;
    await this.page.keyboard.press(key);
  }

  /** The last entry of a list: a click that opens it, and one on the entry. */
  async choose(selector: string): Promise<void> {
    this.clicks += 2;
    const list = this.page.locator(selector);
    await list.waitFor();
    const entries = await list.locator('option').count();
    await list.selectOption({ index: entries - 1 });
  }

  async see(selector: string): Promise<void> {
    await this.page.locator(selector).first().waitFor();
  }
}

type Way = (person: Person) => Promise<void>;

interface ViewerTask {
  readonly name: string;
  readonly ours: Way;
  /** Undefined where Inspect View has no way, whatever is clicked. */
  readonly inspect?: Way;
}

/** Each begins where the one before ended. */
const tasks: readonly ViewerTask[] = [
  {
    name: 'find the wrong answers of one profile',
    ours: async (person) => {
      await person.click('a:has-text("wrong answer")');
      await person.click(`fieldset:has(legend:text-is("Profile")) label:has-text("${values.profile}") input`);
      await person.see(`text=/^\\d+ records of \\d/`);
    },
    inspect: async (person) => {
      await person.click('.cm-content');
      await person.type(`metadata.profile=="${values.profile}" and verdict=="I"`);
      await person.see('text=/^\\d+ \\/ \\d+ Samples/');
    },
  },
  {
    name: 'read why one failed',
    ours: async (person) => {
      await person.press('Enter');
      await person.see('.verdict.incorrect');
    },
    inspect: async (person) => {
      await person.click('a[role=row]');
      await person.click('#scoring');
      await person.see('text=/Explanation/i');
    },
  },
  {
    name: 'compare two rollouts of its task',
    ours: async (person) => {
      await person.click('#tab-compare');
      await person.see('.diff, .story .empty');
    },
    // One after the other: there is no page that has both.
    inspect: async (person) => {
      await person.click('[aria-label="Next sample"]');
      await person.see('text=/Explanation/i');
    },
  },
  {
    name: 'find what it cost and where its time went',
    ours: async (person) => {
      await person.click('#tab-time');
      await person.see('.when');
    },
    inspect: async (person) => {
      await person.click('#info');
      await person.see('text=/^Usage$/i');
      await person.click('#transcript');
      await person.see('text=/^Collapse$/i');
    },
  },
  {
    name: 'see which of its tokens are trained',
    ours: async (person) => {
      await person.press('t');
      await person.see('.token');
    },
  },
  {
    name: 'see the scores of two evaluations',
    ours: async (person) => {
      await person.click('header a');
      await person.see('h2:text-is("Evaluations")');
    },
    inspect: async (person) => {
      await person.click('[aria-label="Home"]');
      await person.see('text=/\\d items/');
    },
  },
  {
    name: 'see which tasks they differ in',
    ours: async (person) => {
      await person.click(`main a:text-is("${values.evaluation}")`);
      await person.choose('label:has-text("Compare with") select');
      await person.see('h2:has-text("Tasks that differ")');
    },
  },
];

async function perform(page: Page, way: Way | undefined) {
  if (!way) return null;
  const person = new Person(page);
  const from = performance.now();
  await way(person);
  const ms = Math.round(performance.now() - from);
  return { clicks: person.clicks, keys: person.keys, ms };
}

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
  const beside = values.inspect ? await browser.newPage({ viewport: { width: 1_280, height: 800 } }) : null;
  if (beside) await beside.goto(values.inspect!);
  for (const { name, ours, inspect } of tasks) {
    const own = await perform(page, ours);
    console.log(
      JSON.stringify({ task: name, ours: own, ...(beside && { inspect: await perform(beside, inspect) }) }),
    );
  }
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await once(server, 'exit');
}
