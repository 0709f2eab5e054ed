import type { ChatModel } from '../../../contract/chatModel.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import type { RecordStage, StageOutcome } from '../../../contract/stage.ts';
import { createSynthesisRoles } from '../../../synthesis/models/createSynthesisRoles.ts';
import { readFacts } from '../../../synthesis/player/readFacts.ts';
import type { Candidate } from '../../../synthesis/records/candidate.ts';
import type { FactRecord, SourceDocument } from '../../../synthesis/records/fact.ts';
import type { SynthesisRoles } from '../../../synthesis/roles.ts';
import { createCheckStage } from '../../../synthesis/stages/createCheckStage.ts';
import { createFactsStage } from '../../../synthesis/stages/createFactsStage.ts';
import { createGrowStage } from '../../../synthesis/stages/createGrowStage.ts';
import { createSeedsStage } from '../../../synthesis/stages/createSeedsStage.ts';
import { createFactIndex } from '../../../synthesis/stages/form/factIndex.ts';
import { factProblem, type ReadCorpus } from '../../../synthesis/stages/rules/examined.ts';
import { type SynthesizeConfig, synthesizeConfigSchema } from '../../../synthesis/synthesizeConfig.ts';
import type { WireChatRequest } from '../../../teachers/scripted/completion.ts';
import { createAtlas } from '../atlas/createAtlas.ts';
import { streamOf } from '../runStage.ts';
import { createFaultyPlayer, type FaultyPlayerOptions } from './faultyPlayer.ts';
import { documentOf, type WorldTriple } from './world.ts';

/** A generated world as pages of tables, which the scripted model reads, and what is true in it. */
export interface TableWorld {
  readonly seed: string;
  readonly documents: ReadonlyMap<string, SourceDocument>;
  readonly triples: readonly WorldTriple[];
}

/** @param pages - Things of the world that have a page; what the others are is not known */
export function tableWorld(seed: string, pages = Number.POSITIVE_INFINITY): TableWorld {
  const entities = [...createAtlas(seed).values()].slice(0, pages);
  const documents = entities.map(({ slug, name, facts }) => {
    const rows = Object.entries(facts)
      .filter(([relation]) => relation !== 'pronoun')
      .map(([relation, { value }]) => `${relation.replaceAll('_', ' ')} | ${value}`);
    return documentOf(`${slug}.html`, name, [`# ${name}`, '', ...rows].join('\n'));
  });
  return {
    seed,
    documents: new Map(documents.map((document) => [document.address, document])),
    triples: documents.flatMap(({ text, address: page }) =>
      readFacts(text).map(({ subject, relation, value }) => ({ subject, relation, value, page })),
    ),
  };
}

/** The five roles played by the scripted model, without a server between. */
export function playedRoles(options: FaultyPlayerOptions): SynthesisRoles {
  const play = createFaultyPlayer(options);
  const chat: ChatModel = {
    ...{ model: 'scripted', toolCallStyle: 'structured' },
    preferStructuredToolCalls: () => {},
    learnFrom: () => {},
    async chat({ messages, response_schema, sampling }) {
      const response_format = { type: 'json_schema', json_schema: response_schema };
      const { reply } = await play({
        messages,
        response_format,
        seed: sampling.seed,
      } as unknown as WireChatRequest);
      if (reply.kind !== 'json') throw new RecordFailure('malformed_answer', JSON.stringify(reply));
      return {
        ...{ model: 'scripted', content: JSON.stringify(reply.answer), reasoning: null, tool_calls: [] },
        ...{
          finish_reason: 'stop',
          cost_usd: 0,
          request_hash: 'r',
          response_format: 'openai_schema' as const,
        },
        usage: { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 },
      };
    },
  };
  return createSynthesisRoles({ models: () => ({ chat, sampling: { seed: options.seed } }), tools: [] });
}

/** What came of a world: every candidate that was grown, with what the gate made of it. */
export interface Synthesised {
  readonly facts: readonly FactRecord[];
  readonly corpus: ReadCorpus;
  readonly seeds: readonly Candidate[];
  readonly checked: readonly { readonly candidate: Candidate; readonly outcome: StageOutcome<Candidate> }[];
}

/** Runs the stages from documents to checked candidates, by what the scripted model or other roles say. */
export async function synthesised(
  { documents }: TableWorld,
  roles: SynthesisRoles,
  settings: object = {},
): Promise<Synthesised> {
  const config = playedConfig(settings);
  const seed = 7;
  const facts = await emitted(
    createFactsStage({
      openRoles: async () => roles,
      perDocument: config.seeds.per_document,
      concurrency: 1,
    }),
    [...documents.values()],
  );
  const supported = facts
    .map(({ fact }) => fact)
    .filter((fact) => factProblem(fact, documents) === undefined);
  const corpus: ReadCorpus = { documents, facts: supported, index: createFactIndex(supported), sha256: 'x' };
  const openCorpus = async () => corpus;
  const seeds: Candidate[] = [];
  const stage = createSeedsStage({ openCorpus, seed, profile: 'web' });
  for await (const { outcome } of stage.run(streamOf(facts), context))
    if (outcome.kind === 'emit') seeds.push(...outcome.records);
  const parts = playedParts(roles, corpus, config);
  const grown = await emitted(createGrowStage(parts), seeds);
  const check = createCheckStage(parts);
  const checked = [];
  for (const candidate of grown) checked.push({ candidate, outcome: await check.run(candidate, context) });
  return { facts, corpus, seeds, checked };
}

/** What stages that ask models are given. */
export function playedParts(roles: SynthesisRoles, corpus: ReadCorpus, config: SynthesizeConfig) {
  const open = { openRoles: async () => roles, openCorpus: async () => corpus };
  return { ...open, config, seed: 7, concurrency: 1, judge: sameAnswer };
}

/** One try of each question is enough: the scripted model says the same each time. */
export function playedConfig(settings: object = {}): SynthesizeConfig {
  const check = { closed_book: { tries: 1 }, evidence: { tries: 1 } };
  return synthesizeConfigSchema.parse({ check, ...settings });
}

const sameAnswer = async ({ answers }: { readonly answers: readonly string[] }, answer: string) =>
  answers.includes(answer);
const context = { signal: new AbortController().signal };

async function emitted<In extends { readonly id: string }, Out extends { readonly id: string }>(
  stage: RecordStage<In, Out>,
  records: readonly In[],
): Promise<Out[]> {
  const all: Out[] = [];
  for (const record of records) {
    const outcome = await stage.run(record, context);
    if (outcome.kind === 'emit') all.push(...outcome.records);
  }
  return all;
}
