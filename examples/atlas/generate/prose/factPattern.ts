import type { Kind } from '../world/entity.ts';
import { leadSentences } from './leadSentences.ts';

const year = String.raw`\d{4}`;
const name = String.raw`[A-ZÀ-Þ][\wÀ-ÿ'’]*(?: [A-ZÀ-Þ][\wÀ-ÿ'’]*)*`;
const date = String.raw`\d{1,2} [A-Z][a-z]+ \d{4}`;
const count = String.raw`\d[\d,]*`;
const words = '[a-z]+(?: [a-z]+)*';

/** The shape of each fact's value. */
const shapes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['founded', 'charted', 'launched', 'built', 'published', 'opened', 'first_held', 'died'].map((fact) => [
      fact,
      year,
    ]),
  ),
  ...Object.fromEntries(['area', 'population', 'height', 'length', 'employees'].map((fact) => [fact, count])),
  ...Object.fromEntries(
    ['craft', 'product', 'type', 'genre', 'specialty', 'theme'].map((fact) => [fact, words]),
  ),
  born: date,
};

/** Fewest characters before a slot that tell it from every other. */
const distinctive = 10;

/**
 * A regular expression whose first group finds a fact in an article of the kind, in whichever way the article says
 * it; in plain text and in Markdown, where names are links. It holds no value of any entity, so it follows the page
 * when a fact there changes.
 */
export function factPattern(kind: Kind, fact: string): string {
  const variants = leadSentences[kind].flat().filter((variant) => variant.includes(`{${fact}}`));
  if (variants.length === 0) throw new Error(`no sentence about a ${kind} states "${fact}"`);
  const before = [...new Set(variants.map((variant) => wordsBefore(variant, fact)))];
  const alternatives = before.length === 1 ? before[0] : `(?:${before.join('|')})`;
  return String.raw`${alternatives}\[?(${shapes[fact] ?? name})`;
}

/** What stands before the slot, reaching back over earlier slots until it is distinctive. */
function wordsBefore(variant: string, fact: string): string {
  const parts = variant.slice(0, variant.indexOf(`{${fact}}`)).split(/\{\w+\}/);
  let pattern = '';
  let length = 0;
  for (const part of parts.reverse()) {
    pattern = pattern === '' ? escapeRegExp(part) : `${escapeRegExp(part)}[^\\n]{1,120}?${pattern}`;
    length += part.length;
    if (length >= distinctive) break;
  }
  return pattern;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
