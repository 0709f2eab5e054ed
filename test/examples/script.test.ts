import { describe, expect, test } from 'vitest';
import { gradesBody, scoreBody } from '../../schemas/coa/bodies.ts';
import { allowedActions, type TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, toolTags } from '../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { normaliseQuestion } from '../../schemas/questionKey.ts';
import { wantsThink } from '../../schemas/roleAnswers.ts';
import {
  type PlantedFlaw,
  plantedFlawSchema,
  type ScriptEntry,
  type ScriptStep,
  scriptEntrySchema,
} from '../../schemas/teacherScript.ts';
import { readExample } from './support/examplesFolder.ts';

const script = readExample<ScriptEntry>('quickstart.script.jsonl');
const clean = script.filter((entry) => entry.flaw === null);
/** In the order of the quickstart's task sources. */
const profiles = ['web', 'mhqa', 'math', 'code'];
const tasks = profiles.flatMap((profile) =>
  readExample<{ id: string; question: string }>(`tasks/${profile}.jsonl`).map((row) => ({ profile, ...row })),
);

/** What the quickstart's configuration asks for. */
const leastInteractions: Readonly<Record<string, number>> = { web: 5, mhqa: 3, math: 2, code: 2 };

describe('the quickstart script', () => {
  test('holds one valid solution a task row, in the same order', () => {
    for (const entry of script) expect(scriptEntrySchema.parse(entry)).toEqual(entry);
    const asked = tasks.map(({ profile, question }) => ({ profile, question }));
    expect(script.map(({ profile, question }) => ({ profile, question }))).toEqual(asked);
    expect(new Set(tasks.map((task) => task.id)).size).toBe(tasks.length);
  });

  test('takes only actions that its profile allows, to the end', () => {
    for (const entry of script) {
      const profile = builtinProfiles[entry.profile]!;
      const taken: TakenAction[] = [];
      for (const step of entry.steps) {
        const action = takenAction(step);
        expect(allowedActions(profile, taken), `${entry.question}, step ${taken.length}`).toContain(
          action.tag,
        );
        taken.push(action);
      }
      expect(isFinished(profile, taken), entry.question).toBe(true);
    }
  });

  test('thinks wherever the grammar wants it', () => {
    for (const entry of script) {
      for (const step of entry.steps) {
        if (wantsThink(builtinProfiles[entry.profile]!, takenAction(step).tag))
          expect(step.think).not.toBe('');
      }
    }
  });

  test('calls enough tools in the solutions that are to be kept, and no others in those that are not', () => {
    for (const entry of script) {
      const enough = toolCalls(entry).length >= leastInteractions[entry.profile]!;
      expect(enough, entry.question).toBe(entry.flaw !== 'too_few_interactions');
    }
  });

  test('says things in many ways', () => {
    const thoughts = clean.flatMap((entry) => entry.steps.map((step) => step.think)).filter(Boolean);
    expect(new Set(thoughts).size).toBeGreaterThan(thoughts.length * 0.6);
    const most = Math.max(
      ...Map.groupBy(thoughts, (think) => think)
        .values()
        .map((same) => same.length),
    );
    expect(most).toBeLessThan(thoughts.length * 0.03);
  });

  test('holds clean solutions that change their plan and that correct a low double check', () => {
    const web = clean.filter((entry) => entry.profile === 'web');
    expect(
      web.filter(({ steps }) => steps.filter((step) => step.action === 'plan').length > 1).length,
    ).toBeGreaterThan(2);
    const low = web.filter(({ steps }) =>
      steps.some((step) => step.action === 'double_check' && step.score < 3),
    );
    expect(low.length).toBeGreaterThan(2);
    expect(low.length).toBeLessThan(web.length);
  });

  test('plants every flaw but those of the answer key alone at least twice, a hanging program once', () => {
    const counts = Map.groupBy(script, (entry) => entry.flaw);
    const answerKeyOnly: readonly PlantedFlaw[] = [
      'near_redundant_query',
      'secret_in_observation',
      'foreign_language',
      'rambling',
      'repeated_thought',
      'talk_to_grader',
    ];
    for (const flaw of plantedFlawSchema.options.filter((one) => !answerKeyOnly.includes(one))) {
      const least: Partial<Record<PlantedFlaw, number>> = { hanging_code: 1 };
      expect(counts.get(flaw)?.length ?? 0, flaw).toBeGreaterThanOrEqual(least[flaw] ?? 2);
    }
    expect(counts.get('hanging_code')).toHaveLength(1);
    for (const profile of profiles) {
      expect(clean.filter((entry) => entry.profile === profile).length).toBeGreaterThan(5);
    }
  });

  test('repeats earlier questions only as planted duplicates', () => {
    const seen = new Set<string>();
    for (const { profile, question, flaw } of script) {
      const key = `${profile} ${normaliseQuestion(question)}`;
      expect(seen.has(key), question).toBe(flaw === 'duplicate_question');
      seen.add(key);
    }
  });
});

function takenAction(step: ScriptStep): TakenAction {
  switch (step.action) {
    case 'tool':
      return { tag: step.tool, body: JSON.stringify(step.input) };
    case 'plan':
      return { tag: 'plan', body: step.plan };
    case 'reflection': {
      const { reflection } = step;
      return {
        tag: 'reflection',
        body: typeof reflection === 'string' ? reflection : gradesBody(reflection),
      };
    }
    case 'double_check':
      return { tag: 'double_check', body: scoreBody(step.score) };
    default:
      return { tag: step.action, body: step.answer };
  }
}

/** Nothing may follow, or nothing but the answer that a high double check has settled. */
function isFinished(profile: Profile, taken: readonly TakenAction[]): boolean {
  const next = allowedActions(profile, taken);
  return next.length === 0 || (taken.at(-1)?.tag === 'double_check' && next.join() === 'answer');
}

function toolCalls({ profile, steps }: ScriptEntry): ScriptStep[] {
  const tools = toolTags(builtinProfiles[profile]!);
  return steps.filter((step) => step.action === 'tool' && tools.includes(step.tool));
}
