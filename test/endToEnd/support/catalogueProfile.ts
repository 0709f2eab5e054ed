import type { ProfileDeclaration } from '../../../schemas/config/profiles.ts';

/** The profiles of a configuration that declares one, `catalogue`, with two tools of its own. */
export const catalogueProfiles: ProfileDeclaration[] = [
  {
    name: 'catalogue',
    extends: 'mhqa_double_check',
    title: 'Questions about a catalogue',
    tags: [
      { tag: 'look_up', kind: 'tool', body: 'text' },
      { tag: 'compare', kind: 'tool', body: 'json' },
    ],
    follows: {
      plan: ['look_up', 'suggested_answer'],
      wiki_search: ['look_up', 'suggested_answer'],
      look_up: ['look_up', 'compare', 'reflection'],
      compare: ['reflection', 'suggested_answer'],
      reflection: ['plan', 'wiki_search', 'look_up', 'compare', 'suggested_answer'],
      double_check: ['plan', 'look_up', 'answer'],
    },
    follows_when: [
      { after: 'reflection', outcome: 'poor', allowed: ['plan'] },
      { after: 'double_check', outcome: 'low', allowed: ['plan', 'look_up'] },
      { after: 'double_check', outcome: 'high', allowed: ['answer'] },
    ],
    think_before: [
      'plan',
      'wiki_search',
      'look_up',
      'compare',
      'reflection',
      'suggested_answer',
      'double_check',
    ],
    min_interactions: 2,
    instruction: 'Answer from the catalogue: <look_up> one name, <compare> two.',
  },
];

/** What a scripted teacher does first: it plans, and looks the lamp up once it has done `before`. */
export function lampSteps(think: string, ...before: object[]) {
  return [
    { action: 'plan', think: 'Two prices.', plan: 'Look both up, then compare.' },
    ...before,
    lookUp(think, 'lamp', { lamp: 'Lamp: (\\d+)' }),
  ];
}

/** A step that looks a product up. */
export function lookUp(think: string, query: string, extract: Readonly<Record<string, string>>) {
  return { action: 'tool', tool: 'look_up', think, input: { query }, extract };
}

/** A reflection after which the plan goes on. */
const goodReflection = {
  information_conflict: 'Good',
  tool_effectiveness: 'Good',
  trajectory_monitoring: 'Good',
};

/** How a scripted teacher ends once it knows the lamp's price: it compares, reflects, answers and checks. */
export function comparingSteps(dearer: string) {
  return [
    {
      action: 'tool',
      tool: 'compare',
      think: 'Now both.',
      input: { a: 'lamp', b: 'chair' },
      extract: { dearer },
    },
    { action: 'reflection', think: 'Both prices are there.', reflection: goodReflection },
    { action: 'suggested_answer', think: 'At {{lamp}} the {{dearer}} is dearer.', answer: '{{dearer}}' },
    { action: 'double_check', think: 'It fits.', score: 4 },
  ];
}
