import type { Fact } from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../../synthesis/records/candidate.ts';
import {
  aimedHops,
  atomicCandidate,
  grown,
  MAX_GROW_STEPS,
  nextStep,
} from '../../../synthesis/stages/grow/nextStep.ts';
import { type Corpus, firstFinding } from '../../../synthesis/stages/rules/examined.ts';
import { wordRules } from '../../../synthesis/stages/rules/wordRules.ts';
import { synthesizeConfigSchema } from '../../../synthesis/synthesizeConfig.ts';
import { wordsOf } from './cleanTasks.ts';
import type { World } from './world.ts';

const { grow } = synthesizeConfigSchema.parse({});
const spent = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };

/** Candidates that the product grows from each `every`th fact of a world's pages, as far as each aims at, and keeps. */
export function grownTasks({ facts }: World, corpus: Corpus, every: number): Candidate[] {
  const pages = facts.filter(({ document }) => document.endsWith('.html'));
  const chosen = pages.filter((_, at) => at % every === 0);
  return chosen.flatMap((fact) => grownTask(fact, corpus, 7) ?? []);
}

/** The candidate that the product grows from a fact, as far as it aims at; undefined for one that it does not keep. */
export function grownTask(fact: Fact, corpus: Corpus, seed: number): Candidate | undefined {
  const origin = { seed, corpus_sha256: '', profile: 'web', task_id: fact.document, spent };
  const candidate = fullyGrown(atomicCandidate(fact, origin), corpus);
  const asked = { ...candidate, question: wordsOf(candidate.form) };
  return candidate.hops >= grow.hops.min && !firstFinding(wordRules, asked, corpus) ? asked : undefined;
}

function fullyGrown(start: Candidate, corpus: Corpus): Candidate {
  const aimed = aimedHops(start, grow);
  let candidate = start;
  for (let steps = 0; steps < MAX_GROW_STEPS && candidate.hops < aimed; steps++) {
    const next = nextStep(candidate, corpus, grow);
    if (!next?.options[0]) break;
    candidate = { ...candidate, rounds: [...candidate.rounds, ...next.rejected] };
    candidate = grown(candidate, next.op, next.options[0], corpus);
  }
  return candidate;
}
