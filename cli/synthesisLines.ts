import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { Form, Synthesis, Triple } from '../schemas/taskSynthesis.ts';
import { candidateSchema } from '../synthesis/records/candidate.ts';
import { documentSchema, factRecordSchema } from '../synthesis/records/fact.ts';

/** What a document is, or a fact that a model named. */
export function sourceLines(kind: 'document' | 'fact', record: JsonObject): string[] {
  if (kind === 'document') {
    const { address, title, text, asked = [] } = documentSchema.parse(record);
    const seeds = asked.map(({ question }) => `seed task: ${question}`);
    return [`${title} at ${address}, ${text.length} characters`, ...seeds];
  }
  const { id, fact } = factRecordSchema.parse(record);
  return [`${id}: ${tripleText([fact.subject, fact.relation, fact.value])}`, `quote: "${fact.quote}"`];
}

const stepSchema = candidateSchema.partial({ question: true });

/** A candidate as a stage left it. */
export function candidateLines(stage: string, record: JsonObject): string[] {
  const { question, answers, rounds, ...synthesis } = stepSchema.parse(record);
  if (stage === 'choose') return ['kept'];
  if (stage === 'check') return checkLines(synthesis.checks);
  return [
    ...(question === undefined ? [] : [`question: ${question}`]),
    `answers: ${answers.join(' | ')}`,
    ...(stage === 'grow' ? rounds.map(roundLine) : []),
    ...chainLines(synthesis),
  ];
}

function roundLine({ op, form, reason }: z.infer<typeof candidateSchema>['rounds'][number]): string {
  return `${op}: ${formText(form)}${reason === undefined ? '' : `, taken back: ${reason}`}`;
}

/** How a task came to be: its formal question, and the quotes that answer it in solving order. */
export function chainLines({ form, chain, hops }: Pick<Synthesis, 'form' | 'chain' | 'hops'>): string[] {
  return [
    `asks ${form.asked}${form.ask === 'count' ? ' (how many)' : ''} of ${formText(form)}; hops: ${hops}`,
    ...chain.map(
      ({ op, subject, relation, value, quote, document }) =>
        `${op}: ${tripleText([subject, relation, value])}; "${quote}" in ${document}`,
    ),
  ];
}

/** The checks that were made of a task, by how they came out. */
export function checkLines(checks: Synthesis['checks']): string[] {
  return (['fail', 'pass'] as const).flatMap((wanted) => {
    const names = checks
      .filter(({ verdict }) => verdict === wanted)
      .map(({ name, passed = 0, tries }) => (tries === undefined ? name : `${name} (${passed} of ${tries})`));
    return names.length === 0 ? [] : [`${wanted}: ${names.join(', ')}`];
  });
}

function formText({ triples }: Pick<Form, 'triples'>): string {
  return triples.map(tripleText).join(' and ');
}

function tripleText([subject, relation, value]: Triple): string {
  return `[${subject} · ${relation} · ${value}]`;
}
