import fc from 'fast-check';
import type { Clock } from '../../../base/clock.ts';
import { isJsonObject } from '../../../base/json.ts';
import type { ChatModel } from '../../../contract/chatModel.ts';
import type { TeacherOutcome } from '../../../contract/teacher.ts';
import type { Tool } from '../../../contract/tool.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import type { TeacherConfig } from '../../../schemas/config/teacher.ts';
import type { Task } from '../../../schemas/task.ts';
import type { Trace } from '../../../schemas/trace.ts';
import {
  createMultiAgentTeacher,
  type MultiAgentTeacherOptions,
} from '../../../teachers/multiAgent/createMultiAgentTeacher.ts';
import { stillClock } from './clocks.ts';

/** A task of a profile. */
export function taskOf(profile: string, more: Partial<Task> = {}): Task {
  const domain = profile === 'math' || profile === 'code' ? profile : 'qa';
  return {
    id: `task_${profile}`,
    question: 'Who founded the harbour of Vell, and when?',
    answers: domain === 'math' ? ['42'] : ['Ada Torrin'],
    domain,
    profile,
    source: { file: 'tasks.jsonl', row: 1 },
    ...more,
  };
}

/** The trace of a solved task; throws where it failed. */
export function traceOf(outcome: TeacherOutcome): Trace {
  if (outcome.kind === 'failed') throw new Error(outcome.failure.message);
  return outcome.trace;
}

/** The calls of agents in a trace. */
export const agentCallsOf = ({ events }: Trace) => events.filter((event) => event.type === 'agent_call');

/** A tool of a test: shows what `observe` makes of its input, which must have the member named by `member`. */
export function toolOf(
  name: string,
  member: string,
  observe: (input: unknown) => string = () => `seen by ${name}`,
): Tool {
  return {
    name,
    definition: {
      name,
      description: `Calls ${name}.`,
      parameters: { type: 'object', properties: { [member]: {} }, required: [member] },
    },
    parseInput: (input) =>
      isJsonObject(input) && member in input
        ? { ok: true, input }
        : { ok: false, error: `expected {"${member}": ...}` },
    call: async (input) => ({ observation: observe(input), raw: null }),
  };
}

/** The tools of all profiles. */
export const allTools: ReadonlyMap<string, Tool> = new Map(
  [
    toolOf('web_search', 'query', () => '1. [Vell](http://atlas.example/vell.html)\nFounder: Bo Ferrin.'),
    toolOf('crawl_page', 'urls'),
    toolOf('wiki_search', 'query', () => '"Vell"\nThe founder of Vell was Bo Ferrin.'),
    toolOf('code', 'code'),
    toolOf('visual_inspector', 'file_path'),
  ].map((tool) => [tool.name, tool]),
);

export const roomyBudget: TeacherConfig['budget'] = {
  max_steps: 36,
  max_tokens: 2_000_000,
  max_seconds: 3600,
};

/** How a request's last turn names the role that is asked. */
export function askedRole(messages: readonly { readonly content?: unknown }[]): string {
  return [...JSON.stringify(messages).matchAll(/(?:"|\\n)=== your turn: ([a-z ]+) ===/g)].at(-1)?.[1] ?? '';
}

/** Every way in which a team may be asked. */
export const anyPlay = fc.record({
  layout: fc.constantFrom('shared' as const, 'per_role' as const),
  turns: fc.constantFrom('merged' as const, 'apart' as const),
});

/** A team whose roles all ask one model; each turn takes a call of its own unless it says otherwise. */
export function teamOf(
  model: ChatModel,
  more: {
    tools?: ReadonlyMap<string, Tool>;
    budget?: Partial<TeacherConfig['budget']>;
    clock?: Clock;
    maxAsks?: number;
    promisesOf?: MultiAgentTeacherOptions['promisesOf'];
    profileOf?: MultiAgentTeacherOptions['profileOf'];
    /** Default: all roles that turns say. */
    isMerged?: MultiAgentTeacherOptions['isMerged'];
    hasOneSchema?: boolean;
    layout?: TeacherConfig['layout'];
    turns?: TeacherConfig['turns'];
  } = {},
) {
  return createMultiAgentTeacher({
    modelFor: () => model,
    samplingFor: () => ({}),
    tools: more.tools ?? allTools,
    profileOf: more.profileOf ?? builtinProfile,
    maxAsks: more.maxAsks ?? 3,
    budget: { ...roomyBudget, ...more.budget },
    clock: more.clock ?? stillClock(),
    layout: more.layout ?? 'shared',
    hasOneSchema: more.hasOneSchema ?? false,
    isMerged: more.isMerged ?? (() => more.turns === 'merged'),
    ...(more.promisesOf && { promisesOf: more.promisesOf }),
  });
}
