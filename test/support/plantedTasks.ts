import { sha256Hex } from '../../base/ids.ts';

/** What the task file and its neighbours plant, beside the flaws of the teacher. */
export type PlantedInFiles = 'duplicate_question' | 'contaminated' | 'too_easy' | null;

/** A task of a file, with what was planted about it. */
export interface PlantedTask {
  readonly profile: string;
  readonly row: Readonly<Record<string, unknown>> & { readonly id: string; readonly question: string };
  readonly planted: PlantedInFiles;
  /** Id of the row whose question it repeats; of the two either one may be taken for the duplicate. */
  readonly copyOf?: string;
}

/** The profiles whose tasks are made. */
export const plantedProfiles = ['web', 'mhqa', 'math', 'code'] as const;

const syllables = 'ba ce di fo gu ha jel kim lor mun nex pol qua ris sten tur vel wim xan yor zed'.split(' ');

/** A made-up name of a number: long enough that no two are nearly alike. */
function nameOf(key: string): string {
  const digits = sha256Hex(key);
  const word = [0, 1, 2, 3]
    .map((at) => syllables[Number.parseInt(digits.slice(at * 4, at * 4 + 4), 16) % syllables.length])
    .join('');
  return word[0]!.toUpperCase() + word.slice(1);
}

/** A question of a profile, with its answer, that shares little but its form with any other. */
function rowOf(profile: string, number: number): PlantedTask['row'] {
  const name = (part: string) => nameOf(`${profile} ${number} ${part}`);
  const id = `${profile}-${number}`;
  if (profile === 'math') {
    const [a, b] = [number + 17, (number * 7) % 1000];
    const question = `${name('a')} keeps ${a} crates of ${name('b')} and ${name('c')} brings ${b} more from ${name('d')}; how many crates are there in all?`;
    return { id, question, answer: String(a + b) };
  }
  if (profile === 'code') {
    const question = `Read a line with the ${name('a')} of ${name('b')} and print it behind the word ${name('c')} with a space between, as the clerks of ${name('d')} do.`;
    const tests = { stdin: [`${name('e')}\n`], expected_output: [`${name('c')} ${name('e')}\n`] };
    return { id, question, tests };
  }
  const question = `Who rebuilt the ${name('a')} museum that the ${name('b')} family of ${name('c')} had sold to ${name('d')}?`;
  return { id, question, answer: `${name('e')} ${name('f')}` };
}

/**
 * Tasks of every profile. Of each twenty two repeat an earlier question in other letters or marks, one stands in a benchmark and one is solved by the student already.
 */
export function plantedTasks(perProfile: number): PlantedTask[] {
  return plantedProfiles.flatMap((profile) =>
    Array.from({ length: perProfile }, (_, number): PlantedTask => plantedTask(profile, number)),
  );
}

function plantedTask(profile: string, number: number): PlantedTask {
  const row = rowOf(profile, number);
  const earlier = rowOf(profile, number - 7);
  switch (number % 20) {
    case 9:
      return {
        profile,
        row: { ...earlier, id: row.id, question: ` ${earlier.question.toUpperCase()} ` },
        planted: 'duplicate_question',
        copyOf: earlier.id,
      };
    case 13:
      return {
        profile,
        row: { ...earlier, id: row.id, question: `Question: “${earlier.question}”` },
        planted: 'duplicate_question',
        copyOf: earlier.id,
      };
    case 15:
      return { profile, row, planted: 'contaminated' };
    case 17:
      return { profile, row, planted: 'too_easy' };
    default:
      return { profile, row, planted: null };
  }
}
