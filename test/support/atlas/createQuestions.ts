import { createRandom, type Random } from '../../../examples/closed-loop/random.ts';
import { type Atlas, type Entity, factOf } from './entity.ts';
import type { QuestionForm } from './questionForms.ts';
import { type Hop, walk } from './walk.ts';

/** A question with the way to its answer. */
export interface Question {
  readonly text: string;
  /** Every way of writing the answer, the atlas's own first. */
  readonly answers: readonly string[];
  /** From the start, or from the winner of the comparison, to the answer. */
  readonly hops: readonly Hop[];
  /** Both entities, in the order in which the question names them, and what is compared. */
  readonly compared?: { readonly fact: string; readonly entities: readonly [Entity, Entity] };
}

/** Questions of every form. An entity starts at most one of them. */
export function createQuestions(atlas: Atlas, forms: readonly QuestionForm[], seed: string): Question[] {
  const used = new Set<string>();
  return forms.flatMap((form, at) => {
    const random = createRandom(`${seed}/form/${at}`);
    const starts = random.shuffle([...atlas.values()].filter((entity) => entity.kind === form.start));
    const questions: Question[] = [];
    while (questions.length < form.count) {
      const wording = form.wordings[questions.length % form.wordings.length]!;
      questions.push(nextQuestion(atlas, form, wording, starts, used, random));
    }
    return questions;
  });
}

function nextQuestion(
  atlas: Atlas,
  form: QuestionForm,
  wording: string,
  starts: Entity[],
  used: Set<string>,
  random: Random,
): Question {
  for (;;) {
    const entities = take(starts, form.compare ? 2 : 1, used);
    const winner = form.compare ? winnerOf(entities, form.compare) : entities[0]!;
    const hops = winner && walk(atlas, winner, form.path);
    // A way that comes back to a page would open it twice.
    if (!hops || new Set(hops.map((hop) => hop.entity.slug)).size < hops.length) continue;
    for (const entity of entities) used.add(entity.slug);
    const answers = answersOf(hops.at(-1)!.value.value);
    if (!form.compare) return { text: ask(wording, entities), answers, hops };
    const [first, second] = random.shuffle(entities) as [Entity, Entity];
    const compared = { fact: form.compare.fact, entities: [first, second] as const };
    return { text: ask(wording, [first, second]), answers, hops, compared };
  }
}

function take(starts: Entity[], count: number, used: ReadonlySet<string>): Entity[] {
  const taken: Entity[] = [];
  while (taken.length < count) {
    const next = starts.shift();
    if (!next) throw new Error('the atlas has too few entities for so many questions');
    if (!used.has(next.slug)) taken.push(next);
  }
  return taken;
}

/** The entity that wins, or undefined for a tie. */
function winnerOf(
  entities: readonly Entity[],
  compare: NonNullable<QuestionForm['compare']>,
): Entity | undefined {
  const [a, b] = entities.map((entity) => Number(factOf(entity, compare.fact).value.replaceAll(',', '')));
  if (a === b) return undefined;
  return entities[a! > b! === (compare.wins === 'larger') ? 0 : 1];
}

/** A date is right in either order. */
function answersOf(value: string): string[] {
  const date = /^(\d+) ([A-Z][a-z]+) (\d{4})$/.exec(value);
  return date ? [value, `${date[2]} ${date[1]}, ${date[3]}`] : [value];
}

function ask(wording: string, entities: readonly Entity[]): string {
  const names = entities.map(withArticle);
  const values: Record<string, string> = { s: names[0]!, a: names[0]!, b: names[1] ?? '' };
  return wording.replace(/\{(\w)\}/g, (_, slot: string) => {
    const name = values[slot.toLowerCase()]!;
    return slot === slot.toLowerCase() ? name : `${name[0]!.toUpperCase()}${name.slice(1)}`;
  });
}

/** A name as it stands in a sentence. */
export function withArticle(entity: Entity): string {
  return entity.kind === 'ship' || entity.kind === 'festival' ? `the ${entity.name}` : entity.name;
}
