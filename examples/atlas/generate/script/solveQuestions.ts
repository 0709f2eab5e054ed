import type { PlantedFlaw, ScriptStep } from '../../../../schemas/teacherScript.ts';
import { createQuestions, type Question } from '../questions/createQuestions.ts';
import { mhqaForms, webForms } from '../questions/questionForms.ts';
import type { Atlas } from '../world/entity.ts';
import { createRandom, type Random } from '../world/random.ts';
import { composeMhqa, composeShortMhqa } from './composeMhqa.ts';
import { composeShortWeb, composeWeb, type WebStyle } from './composeWeb.ts';
import { type FlawPlan, mhqaFlaws, webFlaws } from './flawPlans.ts';
import { namedLookup } from './lookups.ts';
import { plantFlaw } from './plantFlaw.ts';
import { type SolvedTask, withDuplicates } from './solvedTask.ts';

const webStyles: readonly WebStyle[] = ['straight', 'doubt', 'straight', 'replan', 'slip'];

/** The questions for the web team, with their solutions. */
export function solveWeb(atlas: Atlas, seed: string): SolvedTask[] {
  const questions = createQuestions(atlas, webForms, `${seed}/web`);
  const tasks = solve(atlas, 'web', questions, webFlaws, seed, (question, flaw, turn, random) => {
    if (flaw === 'too_few_interactions')
      return composeShortWeb(question, namedLookup(question.hops.at(-1)!), random);
    const style = flaw === null ? webStyles[turn % webStyles.length]! : 'straight';
    return composeWeb(question, flaw === 'corrected_double_check' ? 'slip' : style, random);
  });
  return withDuplicates(tasks, 0, 6);
}

/** The questions for the encyclopedia team, with their solutions. */
export function solveMhqa(atlas: Atlas, seed: string): SolvedTask[] {
  const questions = createQuestions(atlas, mhqaForms, `${seed}/mhqa`);
  const tasks = solve(atlas, 'mhqa', questions, mhqaFlaws, seed, (question, flaw, turn, random) => {
    if (flaw === 'too_few_interactions')
      return composeShortMhqa(question, namedLookup(question.hops.at(-1)!), random);
    return composeMhqa(question, flaw === null && turn % 4 === 3 ? 'replan' : 'straight', random);
  });
  return withDuplicates(tasks, 3, 10);
}

/** `turn` counts the clean solutions, so that every style has its turn. */
type Compose = (question: Question, flaw: PlantedFlaw | null, turn: number, random: Random) => ScriptStep[];

function solve(
  atlas: Atlas,
  profile: 'web' | 'mhqa',
  questions: readonly Question[],
  flaws: FlawPlan,
  seed: string,
  compose: Compose,
): SolvedTask[] {
  return questions.map((question, at) => {
    const random = createRandom(`${seed}/${profile}/${at}`);
    const flaw = flaws[at] ?? null;
    const turn = at - Object.keys(flaws).filter((place) => Number(place) < at).length;
    const steps = plantFlaw(
      compose(question, flaw, turn, random),
      flaw,
      wrongAnswer(atlas, question, random),
    );
    const { text, answers } = question;
    const id = `${profile}-${String(at + 1).padStart(2, '0')}`;
    const gold = answers.length === 1 ? { answer: answers[0]! } : { answers };
    return { row: { id, question: text, ...gold }, entry: { question: text, profile, steps, flaw } };
  });
}

/** What the atlas says about another entity of the same kind. */
function wrongAnswer(atlas: Atlas, { hops }: Question, random: Random): string {
  const { entity, fact, value } = hops.at(-1)!;
  const others = [...atlas.values()].flatMap((other) => {
    const found = other.kind === entity.kind ? other.facts[fact]?.value : undefined;
    return found === undefined || found === value.value ? [] : [found];
  });
  return random.pick(others);
}
