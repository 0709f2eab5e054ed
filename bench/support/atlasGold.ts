import { readFileSync } from 'node:fs';
import path from 'node:path';
import { atlasSeed, createAtlas } from '../../test/support/atlas/createAtlas.ts';
import { createQuestions, type Question } from '../../test/support/atlas/createQuestions.ts';
import { type Entity, factOf } from '../../test/support/atlas/entity.ts';
import { questionForms } from '../../test/support/atlas/questionForms.ts';
import { queriesFor } from '../../test/support/atlas/relations.ts';

const examples = path.join(import.meta.dirname, '../../examples');

/** The bundled corpus. */
export const atlasCorpus = path.join(examples, 'atlas/passages.jsonl');

/** Something to look for, and the passages that say it. */
export interface GoldQuery {
  readonly query: string;
  readonly gold: readonly string[];
}

/**
 * What to look for in the bundled corpus. The world is generated, so it is known which fact of which entity each step
 * of a question needs; facts stand in an entity's first passage.
 *
 * `named`: the 30 questions of the 32 tasks (one is asked twice, one again in capitals) as they are, with the passages
 * of what they name, which is as far as one search can be expected to get. `answer`: the same questions with the
 * passage that states the answer, mostly of an entity that the question does not name. `steps`: the questions of one
 * step that agents search with, each with its passage.
 */
export function atlasGold(): Record<'named' | 'answer' | 'steps', GoldQuery[]> {
  const atlas = createAtlas(atlasSeed);
  const bundled = new Set(
    readFileSync(path.join(examples, 'tasks/mhqa.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { question: string }).question),
  );
  const questions = createQuestions(atlas, questionForms, `${atlasSeed}/mhqa`).filter(({ text }) =>
    bundled.has(text),
  );
  checkGold(questions);
  return {
    named: questions.map((question) => ({ query: question.text, gold: namedIn(question).map(passageOf) })),
    answer: questions.map(({ text, hops }) => ({ query: text, gold: [passageOf(hops.at(-1)!.entity)] })),
    steps: questions.flatMap((question) => stepsOf(question)),
  };
}

function namedIn({ hops, compared }: Question): readonly Entity[] {
  return compared ? compared.entities : [hops[0]!.entity];
}

function stepsOf({ hops, compared }: Question): GoldQuery[] {
  const looked = [
    ...(compared?.entities.map((entity) => ({ entity, fact: compared.fact })) ?? []),
    ...hops.map(({ entity, fact }) => ({ entity, fact })),
  ];
  return looked.flatMap(({ entity, fact }) =>
    queriesFor(entity.kind, fact).map((query) => ({
      query: query.replace('{s}', entity.name),
      gold: [passageOf(entity)],
    })),
  );
}

function passageOf({ slug }: Entity): string {
  return `${slug}-1`;
}

/** Throws when a gold passage does not say what it is gold for. */
function checkGold(questions: readonly Question[]): void {
  const passages = new Map(
    readFileSync(atlasCorpus, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: string; contents: string })
      .map(({ id, contents }) => [id, contents] as const),
  );
  for (const { hops } of questions)
    for (const { entity, fact } of hops)
      if (!passages.get(passageOf(entity))?.includes(factOf(entity, fact).value))
        throw new Error(`${passageOf(entity)} does not state the ${fact} of ${entity.name}`);
}
