import type { JsonObject } from '../../../base/json.ts';
import type { Fact } from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../../synthesis/records/candidate.ts';
import type { Asked, SynthesisRoles, ToolTry } from '../../../synthesis/roles.ts';
import { createCheckStage } from '../../../synthesis/stages/createCheckStage.ts';
import { createFactIndex } from '../../../synthesis/stages/form/factIndex.ts';
import { playedConfig, playedParts } from './playedSynthesis.ts';
import type { World } from './world.ts';

/** An answer of a model that costs nothing. */
export async function said<T>(value: T): Promise<Asked<T>> {
  const usage = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };
  return { value, request_hash: 'r', model: 'exact', calls: 1, usage, cost_usd: 0 };
}

/**
 * Models that make no mistake about one candidate: they read what was meant, and know what its quotes say, all of them
 * below their own titles.
 */
export function exactRoles(
  { form, answers: [gold = ''], chain }: Candidate,
  { documents }: Pick<World, 'documents'>,
): SynthesisRoles {
  const shows = (passage: string, { quote, document }: Fact) =>
    passage.split('\n', 1)[0]!.includes(documents.get(document)!.title) && passage.includes(quote);
  const isThere = (passages: readonly string[]) =>
    passages.length > 0 && chain.every((fact) => passages.some((passage) => shows(passage, fact)));
  return {
    propose: () => said([]),
    link: () => said(0),
    write: () => said(''),
    readBack: () => said(form),
    solve: (_, passages) => said(isThere(passages) ? gold : ''),
    solveWithTools: () => said<ToolTry>({ answer: gold, tool_calls: 2, shown: ['', gold] }),
    meetsClues: () => said(false),
    search: async () => 'nothing',
  };
}

/** A candidate, and the models that are asked about it. */
export interface AskedCandidate {
  readonly candidate: Candidate;
  readonly roles: SynthesisRoles;
}

/** Why the stage `check` of a world drops each candidate; `passed` where it does not. */
export async function checkedBy(
  { facts, documents }: World,
  all: readonly AskedCandidate[],
): Promise<string[]> {
  const corpus = { documents, facts, index: createFactIndex(facts), sha256: 'x' };
  const tools = { tries: 2, max_pass_rate: 1 };
  const config = playedConfig({ check: { ...playedConfig().check, tools } });
  const ends: string[] = [];
  for (const { candidate, roles } of all) {
    const outcome = await createCheckStage(playedParts(roles, corpus, config)).run(candidate, context);
    ends.push(outcome.kind === 'drop' ? `${outcome.reason} by ${failed(outcome.evidence)}` : 'passed');
  }
  return ends;
}

const context = { signal: new AbortController().signal };

function failed({ checks }: JsonObject): string {
  return (checks as unknown as Candidate['checks']).find(({ verdict }) => verdict === 'fail')!.name;
}
