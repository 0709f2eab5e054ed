import type { Random } from '../world/random.ts';
import { capitalised } from './phrasebook.ts';

const verbs = ['Find', 'Look up', 'Identify', 'Establish', 'Determine'];

/** A plan in words: numbered steps, or the same as prose. */
export function planText(steps: readonly string[], random: Random): string {
  const forms = [numbered, prose, chain, tasks];
  return random.pick(forms)(steps, random);
}

function numbered(steps: readonly string[], random: Random): string {
  const [verb] = random.shuffle(verbs);
  return steps.map((step, at) => `${at + 1}. ${verb} ${step}.`).join('\n');
}

function tasks(steps: readonly string[], random: Random): string {
  const order = random.shuffle(verbs);
  return steps.map((step, at) => `- ${order[at % order.length]} ${step}`).join('\n');
}

function prose(steps: readonly string[]): string {
  const [first, ...rest] = steps;
  const links = rest.map((step, at) =>
    at === rest.length - 1 ? `Finally, ${step}.` : `After that, ${step}.`,
  );
  return [`First establish ${first}.`, ...links].join(' ');
}

function chain(steps: readonly string[]): string {
  const last = steps.length - 1;
  return `${steps.map((step, at) => (at === 0 ? capitalised(step) : at === last ? `and from there ${step}` : `then ${step}`)).join(', ')}. Each of these has to be read in an article before the next is looked for.`;
}
