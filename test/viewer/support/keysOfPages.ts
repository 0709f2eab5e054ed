/** What the keys of a page do. */
interface KeysOfPage {
  /** KEY0 to KEY2 stand for the first three kept records of the run. */
  readonly path: string;
  /** A selector of what is there once the page can be used. */
  readonly sign: string;
  /** Clicked first. */
  readonly clicked?: readonly string[];
  /** Each with a selector of what it brings. A key that leads to another page comes back from there. */
  readonly steps: readonly (readonly [key: string, sign: string])[];
  /** What `y` copies. */
  readonly copied?: string;
}

const runs = 'h1:text-is("Runs")';

/** The keys of a list whose entries take the focus. */
const entries = (selector: string, back: string): KeysOfPage['steps'] => [
  ['j', `:nth-match(${selector}, 1):focus`],
  ['j', `:nth-match(${selector}, 2):focus`],
  ['k', `:nth-match(${selector}, 1):focus`],
  ['u', back],
];

const rows = (back: string): KeysOfPage['steps'] => [
  ['f', 'input[type=checkbox]:focus'],
  ['Escape', '.facets:not(:focus-within)'],
  ['/', 'input[type=search]:focus'],
  ['Escape', 'search:not(:focus-within)'],
  ['j', 'tbody tr:nth-child(2).chosen'],
  ['j', 'tbody tr:nth-child(3).chosen'],
  ['k', 'tbody tr:nth-child(2).chosen'],
  ['y', 'button:text-is("Copied")'],
  ['Enter', '.segment'],
  ['o', '.segment'],
  ['u', back],
];

const openRecord: KeysOfPage['steps'] = [
  ['j', '#segment-0.chosen'],
  ['j', '#segment-1.chosen'],
  ['k', '#segment-0.chosen'],
  ['o', 'button[aria-pressed=true]:text-is("Unfold observations")'],
  ['o', 'button[aria-pressed=false]:text-is("Unfold observations")'],
  ['t', '.token'],
  ['t', '.segment'],
  ['y', 'button:text-is("Copied")'],
  ['n', '[aria-current=page]:text-is("KEY2")'],
  ['p', '[aria-current=page]:text-is("KEY0")'],
  ['u', 'tbody a'],
];

/** Every page but the queue of somebody who reviews: all its keys. */
export const keysOfPages: readonly KeysOfPage[] = [
  {
    path: '/',
    sign: 'tbody a',
    clicked: ['[aria-label="Compare quickstart"]', '[aria-label="Compare followed"]'],
    steps: [...entries('main a', '').slice(0, -1), ['c', '.changes']],
  },
  {
    path: '/runs/quickstart',
    sign: '.funnel',
    steps: [
      ['f', 'tbody a'],
      ['/', 'tbody a'],
      ['u', runs],
    ],
  },
  {
    path: '/runs/quickstart/rows?state=kept',
    sign: 'tbody a',
    steps: rows('.funnel'),
    copied: 'coa-distill view quickstart --rows state=kept --json',
  },
  { path: '/files/trajectories.jsonl/rows', sign: 'tbody a', steps: rows(runs) },
  {
    path: '/runs/quickstart/records/KEY1?state=kept&at=1',
    sign: '.segment',
    steps: openRecord,
    copied: 'KEY1',
  },
  {
    path: '/runs/quickstart/review',
    sign: '.segment',
    clicked: ['main input[type=number] >> nth=0'],
    steps: [
      ['Escape', 'main:not(:focus-within)'],
      ['j', '#segment-0.chosen'],
      ['j', '#segment-1.chosen'],
      ['k', '#segment-0.chosen'],
      ['n', 'text=/ now number 2$/'],
      ['p', 'text=/ now number 1$/'],
    ],
  },
  { path: '/runs/quickstart/dataset', sign: '[href$="/training/sft"]', steps: entries('main a', '.funnel') },
  {
    path: '/runs/quickstart/training/sft',
    sign: 'summary',
    steps: entries('main summary:visible', 'h1:text-is("Dataset and training")'),
  },
  { path: '/evaluations/evaluation', sign: '.samples a', steps: entries('.samples a', runs) },
  {
    path: '/compare?a=quickstart&b=followed',
    sign: '.changes',
    steps: [
      ['j', '.changes li:nth-child(2).chosen'],
      ['k', '.changes li:nth-child(1).chosen'],
      ['n', '.changes li:nth-child(2).chosen'],
      ['p', '.changes li:nth-child(1).chosen'],
      ['u', runs],
    ],
  },
  { path: '/compare-evaluations?a=evaluation&b=evaluation', sign: 'main table', steps: [['u', runs]] },
  { path: '/nowhere', sign: 'h1:text-is("Page not found")', steps: [] },
];
