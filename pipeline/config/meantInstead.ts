import { z } from 'zod';
import { nearestName } from '../../base/nearestName.ts';
import { type KeyNode, knownKeys, nodeAt } from '../../schemas/config/keyTree.ts';

/** Words of names that express an amount, not a topic. */
const amounts: ReadonlySet<string> = new Set('max min most num number count total limit n'.split(' '));

/** Maximum places listed for a key of the same name elsewhere. */
const MAX_PLACES = 3;

/**
 * Suggests a key in place of an unknown one: a similar name at this level, the same name further in, or a similar
 * meaning by name and description. Otherwise lists all keys at this level and the places of that name.
 */
export function meantInstead(key: string, path: readonly PropertyKey[], root: KeyNode): string {
  const node = nodeAt(root, path);
  const known = knownKeys(node);
  const [deeper, next] = node && path.length > 0 ? placesOf(key, node) : [];
  const meant =
    nearestName(key, known) ??
    (deeper && deeper.length !== next?.length ? [...path, ...deeper, key].join('.') : undefined) ??
    (node && keyByMeaning(key, node));
  if (meant !== undefined) return `did you mean "${meant}"?`;
  const places = telling(key).length > 0 ? placesOf(key, root) : [];
  const named = places.slice(0, MAX_PLACES).map((place) => place.join('.'));
  const elsewhere = named.length === 0 ? '' : `; ${key} is a key of ${named.join(', ')}`;
  return `known: ${known.join(', ') || 'none'}${elsewhere}`;
}

function placesOf(key: string, { schema, model, keys = model?.keys ?? {}, each }: KeyNode): string[][] {
  const inner = Object.entries(keys);
  if (each) inner.push([schema instanceof z.ZodArray ? '0' : '<name>', each]);
  const found = inner.flatMap(([name, node]) => placesOf(key, node).map((place) => [name, ...place]));
  if (Object.hasOwn(keys, key)) found.push([]);
  return found.sort((one, other) => one.length - other.length);
}

/** Key that shares the most words with an unknown one; undefined if none or several do. */
function keyByMeaning(key: string, { model, keys = model?.keys ?? {} }: KeyNode): string | undefined {
  const wanted = telling(key);
  const scored = Object.entries(keys).map(([name, { meaning }]) => {
    const { description = '' } = meaning;
    const words = new Set(wordsOf(`${name} ${description}`));
    const isNamed = description.split(/\W+/).includes(key);
    return { name, score: wanted.filter((word) => words.has(word)).length + (isNamed ? wanted.length : 0) };
  });
  const most = Math.max(0, ...scored.map(({ score }) => score));
  const [best, ...others] = scored.filter(({ score }) => score === most);
  return best && most > 0 && others.length === 0 ? best.name : undefined;
}

/** Words of a name without those of {@link amounts}. */
function telling(name: string): string[] {
  return wordsOf(name).filter((word) => !amounts.has(word));
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z]+|\d+/g) ?? []).map((word) => word.replace(/(?<=..)s$/, ''));
}
