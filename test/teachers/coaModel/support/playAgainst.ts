import type { TeacherOutcome } from '../../../../contract/teacher.ts';
import { builtinProfile } from '../../../../schemas/coa/profiles/builtin.ts';
import { qwenSystemPrompt } from '../../../../schemas/config/dataset.ts';
import type { StageFailure } from '../../../../schemas/outcome.ts';
import type { Trajectory } from '../../../../schemas/trajectory.ts';
import { convertTrace } from '../../../../stages/convert/createConvertStage.ts';
import { openCoaModelTeacher } from '../../../../teachers/coaModel/createCoaModelTeacher.ts';
import { goesOn, playerOptions } from '../../support/player.ts';
import { startTinyServer, type TinyAnswer, type TinyRequest } from '../../support/startTinyServer.ts';
import { allTools, taskOf } from '../../support/team.ts';

/** What a game came to. */
export interface Game {
  readonly outcome: TeacherOutcome;
  readonly requests: readonly TinyRequest[];
  /** What was asked to be gone on with. */
  readonly prompts: readonly string[];
  /** The incidents of all steps, by name. */
  readonly incidents: readonly string[];
  /** Of a solved task. */
  readonly trajectory: Trajectory;
  /** Of a failed one. */
  readonly failure: StageFailure;
}

/** Lets a model play a task of a profile; a text stands for the completion of that text. */
export async function playAgainst(
  answers: readonly (string | TinyAnswer)[] | ((request: TinyRequest, count: number) => TinyAnswer),
  { profile = 'mhqa', ...changes }: Parameters<typeof playerOptions>[1] & { readonly profile?: string } = {},
): Promise<Game> {
  const server = await startTinyServer((request, count) => {
    if (typeof answers === 'function') return answers(request, count);
    const answer = answers[count] ?? { status: 500, body: 'asked too often' };
    return typeof answer === 'string' ? goesOn(answer) : answer;
  });
  const player = await openCoaModelTeacher(playerOptions(server.baseUrl, changes));
  const outcome = await player.solve(taskOf(profile), { signal: new AbortController().signal });
  const events = outcome.kind === 'solved' ? outcome.trace.events : (outcome.partial.events as object[]);
  return {
    outcome,
    requests: server.requests,
    prompts: server.requests.map(({ body }) => body.prompt as string),
    incidents: events.flatMap((event) => {
      const { answer } = event as { answer?: { incidents: { name: string }[] } | null };
      return answer?.incidents.map(({ name }) => name) ?? [];
    }),
    get trajectory() {
      if (outcome.kind === 'failed') throw new Error(outcome.failure.message);
      return convertTrace(outcome.trace, builtinProfile(profile)!, qwenSystemPrompt);
    },
    get failure() {
      if (outcome.kind === 'solved') throw new Error('it was solved');
      return outcome.failure;
    },
  };
}

/** The tools, of which a search finds nothing, and the inputs that it was called with. */
export function countedTools() {
  const inputs: unknown[] = [];
  const call = async (input: unknown) => {
    inputs.push(input);
    return { observation: 'nothing', raw: null };
  };
  return { inputs, tools: new Map([...allTools].map(([tag, tool]) => [tag, { ...tool, call }])) };
}

/** A trajectory's text, and who wrote which part of it. */
export const textOf = ({ segments }: Trajectory) => segments.map(({ text }) => text).join('');

/** Steps of a short game of the profile `mhqa`. */
export const search = (query: string) => `<think>I look.</think>\n<wiki_search>${query}</wiki_search>`;
export const opening = `<think>Two hops.</think>\n<plan>Search, then answer.</plan>\n${search('Vell')}`;
export const answer = (text: string) => `<think>Clear.</think>\n<answer>${text}</answer>`;
