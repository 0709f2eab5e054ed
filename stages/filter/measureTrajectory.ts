import { Counts } from '../../base/counts.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import type { FilterMeasures } from '../../schemas/filterMeasures.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { NearInputs } from './nearRedundantInputs.ts';
import { countByKind, type Secrets } from './trajectorySecrets.ts';

/** What the measures are taken with; each is there only where the settings ask for what it measures. */
export interface FilterTools {
  /** Tokens of a text, by the tokenizer of the dataset. */
  readonly countTokens?: (text: string) => Promise<number>;
  /** ISO 639-1 code of a text's language; null where it can't be told. */
  readonly detectLanguage?: (text: string) => Promise<string | null>;
  /** Lint findings in a trajectory's text. */
  readonly lint?: (profile: Profile, text: string) => Promise<readonly { readonly rule: string }[]>;
  /** Share of another model's samples that solved the task; undefined where it is not known. */
  readonly passRateOf?: (trajectory: Pick<Trajectory, 'task_id' | 'question'>) => Promise<number | undefined>;
}

/** What was found in a trajectory before it is measured. */
export interface TrajectoryFindings {
  readonly nearInputs: readonly NearInputs[];
  /** Undefined where the settings do not ask for them. */
  readonly secrets: Secrets | undefined;
}

/** The measures that the settings ask for. */
export async function measureTrajectory(
  trajectory: Trajectory,
  profile: Profile,
  { length, languages, lint }: FiltersConfig,
  { nearInputs, secrets }: TrajectoryFindings,
  tools: FilterTools,
): Promise<FilterMeasures> {
  const text = trajectory.segments.map((segment) => segment.text).join('');
  const countsTokens = length?.min_tokens !== undefined || length?.max_tokens !== undefined;
  return {
    near_redundant_tool_inputs: nearInputs.length,
    steps: countSteps(trajectory, profile),
    chars: text.length,
    ...(countsTokens && { tokens: await tools.countTokens!(text) }),
    ...(languages && { language: await tools.detectLanguage!(wordsOfModel(trajectory, profile)) }),
    ...(secrets && { secrets: countByKind(secrets) }),
    ...(lint && {
      lint: Object.fromEntries(Counts.of((await tools.lint!(profile, text)).map(({ rule }) => rule))),
    }),
    ...(tools.passRateOf && { pass_rate: (await tools.passRateOf(trajectory)) ?? null }),
  };
}

function countSteps({ segments }: Trajectory, profile: Profile): number {
  const still: readonly (string | undefined)[] = ['thinking', 'observation'];
  return segments.filter(({ tag }) => !still.includes(tagRule(profile, tag)?.kind)).length;
}

/** Longest text whose language is told: more does not make it surer. */
const MAX_CHARS = 20_000;
/** Bodies that are words, and no programs, addresses or data. */
const wordy: readonly (string | undefined)[] = ['text', 'grades'];

/** What the model wrote in words, without its tags. */
function wordsOfModel({ segments, question }: Trajectory, profile: Profile): string {
  const texts = segments.flatMap(({ tag, origin, text }) =>
    origin === 'model' && wordy.includes(tagRule(profile, tag)?.body)
      ? [text.slice(`<${tag}>`.length, text.lastIndexOf(`</${tag}>`))]
      : [],
  );
  return [question, ...texts].join('\n').slice(0, MAX_CHARS);
}
