import { createRandom } from '../../../examples/closed-loop/random.ts';
import { createFactIndex, type FactIndex } from '../../../synthesis/stages/form/factIndex.ts';
import { type CandidateRule, firstFinding } from '../../../synthesis/stages/rules/examined.ts';
import { type CleanTask, cleanTasks } from './cleanTasks.ts';
import { type Planted, planters } from './plantedFaults.ts';
import type { World } from './world.ts';

/** What became of the faults of one kind. */
export interface FaultTally {
  readonly fault: string;
  readonly planted: number;
  /** By the name of the rule that found them; `none` where none did. */
  readonly found: Readonly<Record<string, number>>;
  readonly examples: readonly unknown[];
}

/** So many faults of each kind planted in a world, and which rule of some finds each first. */
export function plantEach(
  world: World,
  many: number,
  rulesFor: (rule: string) => readonly CandidateRule[],
  seed: string,
): FaultTally[] {
  const tasks = cleanTasks(world, many * 12, seed);
  const whole = createFactIndex(world.facts);
  return Object.entries(planters).map(([fault, { rule, plant }]) => {
    const random = createRandom(`${seed} ${fault}`);
    const planted = firstOf(many, tasks, (task) => plant(task, world, random));
    const found: Record<string, number> = {};
    const examples: unknown[] = [];
    for (const one of planted) {
      const finding = firstFinding(rulesFor(rule), one.candidate, corpusOf(one, world, whole));
      const name = finding?.name ?? 'none';
      found[name] = (found[name] ?? 0) + 1;
      if (name !== rule && examples.length < 2)
        examples.push({
          finding,
          form: one.candidate.form,
          question: one.candidate.question,
          hops: one.candidate.hops,
        });
    }
    return { fault, planted: planted.length, found, examples };
  });
}

function firstOf(
  many: number,
  tasks: readonly CleanTask[],
  plant: (task: CleanTask) => Planted | undefined,
): Planted[] {
  const found: Planted[] = [];
  for (let at = 0; found.length < many && at < tasks.length * 50; at++) {
    const planted = plant(tasks[at % tasks.length]!);
    if (planted) found.push(planted);
  }
  return found;
}

function corpusOf({ world: { facts, documents } }: Planted, world: World, whole: FactIndex) {
  return { index: facts === world.facts ? whole : createFactIndex(facts), documents };
}
